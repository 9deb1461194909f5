/** How long callers wait for an unreachable database. */

/** The network waits this long for an acknowledgement, so the session need not end. */
export const sessionUnreachableMs = 90_000;
/** Sending: the caller must not be told of a failure while the message still goes out. */
export const sendUnreachableMs = 4_000;
/** A whole request; its own reads and writes do not wait at all. */
export const requestUnreachableMs = 4_500;
