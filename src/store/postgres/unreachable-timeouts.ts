/** How long those who need the database wait for one that is away. */

/** A session: the network waits for its acknowledgement as long, and the session need not end. */
export const sessionUnreachableMs = 90_000;
/** A message that is to be sent: somebody waits for it, and is not to be told that it failed while it still goes out. */
export const sendUnreachableMs = 4_000;
/** A request, whatever of it waits; what it only reads or writes for itself waits for nothing. */
export const requestUnreachableMs = 4_500;
