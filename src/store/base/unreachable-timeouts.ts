/** How long callers wait for an unreachable database. */

/** A session: the network waits this long for an acknowledgement, so the session need not end. */
export const sessionUnreachableMs = 90_000;
/** Sending a message: its caller must not be told that it failed while it still goes out. */
export const sendUnreachableMs = 4_000;
/** A whole request; its own reads and writes do not wait at all. */
export const requestUnreachableMs = 4_500;
