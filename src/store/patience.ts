/** How long a session waits for a database that is away: the network waits for its acknowledgement as long, and the session need not end. */
export const patienceMs = 90_000;
