/**
 * What the bridge has to remember over a restart, in one SQLite file: which chat is which conversation, which message is which, which
 * events are done, and what agents have written that is not sent yet. A text is there until it is sent, and no longer.
 */
import { DatabaseSync } from 'node:sqlite';

/** A conversation, and the contact that it is with. */
export interface Known {
  readonly contact: number;
  readonly conversation: number;
  /** False while the contact has only a number or an address for a name. */
  readonly named: boolean;
  /** The chat by which Handset writes to it. */
  readonly chat: string;
}

/** One message on both sides. A message of Chatwoot with several files is several of the network. */
export interface Pair {
  readonly handset: string;
  readonly conversation: number;
  readonly chatwoot: number;
  readonly outgoing: boolean;
}

export interface Job {
  readonly id: number;
  readonly conversation: number;
  readonly payload: string;
  readonly attempts: number;
  readonly notBefore: number;
}

type Value = string | number;
type Row = Readonly<Record<string, unknown>>;

/** Events are kept for longer than Handset posts them again. */
const eventsKeptMs = 30 * 24 * 3600 * 1000;

const schema = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = FULL;
  PRAGMA secure_delete = ON;
  CREATE TABLE IF NOT EXISTS chats (
    address TEXT PRIMARY KEY, chat TEXT NOT NULL, contact INTEGER NOT NULL, conversation INTEGER NOT NULL, named INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS chats_by_conversation ON chats (conversation);
  CREATE TABLE IF NOT EXISTS messages (
    conversation INTEGER NOT NULL, handset TEXT NOT NULL, chatwoot INTEGER NOT NULL, outgoing INTEGER NOT NULL, rank INTEGER NOT NULL,
    deleted INTEGER NOT NULL, PRIMARY KEY (conversation, handset)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS messages_by_chatwoot ON messages (chatwoot);
  CREATE INDEX IF NOT EXISTS messages_by_handset ON messages (handset);
  CREATE TABLE IF NOT EXISTS events (id TEXT PRIMARY KEY, done INTEGER NOT NULL, at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, conversation INTEGER NOT NULL, recipient TEXT NOT NULL,
    payload TEXT, attempts INTEGER NOT NULL, not_before INTEGER NOT NULL, failed INTEGER NOT NULL
  ) STRICT;
`;

const pairOf = (row: Row): Pair => ({
  handset: String(row.handset),
  conversation: Number(row.conversation),
  chatwoot: Number(row.chatwoot),
  outgoing: row.outgoing === 1,
});

const jobOf = (row: Row): Job => ({
  id: Number(row.id),
  conversation: Number(row.conversation),
  payload: String(row.payload),
  attempts: Number(row.attempts),
  notBefore: Number(row.not_before),
});

const knownOf = (row: Row): Known => ({
  contact: Number(row.contact),
  conversation: Number(row.conversation),
  named: row.named === 1,
  chat: String(row.chat),
});

/** The file; it is made where there is none. */
export class State {
  readonly #db: DatabaseSync;

  constructor(file: string) {
    this.#db = new DatabaseSync(file);
    this.#db.exec(schema);
    this.#run('DELETE FROM events WHERE at < ?', Date.now() - eventsKeptMs);
  }

  close(): void {
    this.#db.close();
  }

  /** Keeps all that `work` writes, or nothing. */
  together(work: () => void): void {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  chat(addresses: readonly string[]): Known | null {
    for (const address of addresses) {
      const row = this.#one('SELECT * FROM chats WHERE address = ?', address);
      if (row !== undefined) return knownOf(row);
    }
    return null;
  }

  keepChat(addresses: readonly string[], { chat, contact, conversation, named }: Known): void {
    const sql = 'INSERT OR REPLACE INTO chats VALUES (?, ?, ?, ?, ?)';
    for (const address of addresses) this.#run(sql, address, chat, contact, conversation, Number(named));
  }

  forgetConversation(conversation: number): void {
    this.#run('DELETE FROM chats WHERE conversation = ?', conversation);
  }

  /** From now on what comes from this chat goes to the conversation in which it was written to last. */
  moveChat(address: string, conversation: number): void {
    const sql = 'UPDATE chats SET conversation = ? WHERE chat = (SELECT chat FROM chats WHERE address = ?)';
    this.#run(sql, conversation, address);
  }

  chatOf(conversation: number): string | null {
    const row = this.#one('SELECT chat FROM chats WHERE conversation = ?', conversation);
    return row === undefined ? null : String(row.chat);
  }

  pair(conversation: number, handset: string): Pair | null {
    const row = this.#one(
      'SELECT * FROM messages WHERE conversation = ? AND handset = ? AND deleted = 0',
      conversation,
      handset,
    );
    return row === undefined ? null : pairOf(row);
  }

  /** A message of this account by its id alone: an agent may have written it in another conversation with the same person. */
  outgoingPair(handset: string): Pair | null {
    const row = this.#one('SELECT * FROM messages WHERE handset = ? AND outgoing = 1 AND deleted = 0', handset);
    return row === undefined ? null : pairOf(row);
  }

  /** The parts of a message of Chatwoot, in the order in which they were sent. */
  pairsOf(chatwoot: number): readonly Pair[] {
    return this.#all('SELECT * FROM messages WHERE chatwoot = ? AND deleted = 0 ORDER BY rowid', chatwoot).map(pairOf);
  }

  keepPair({ handset, conversation, chatwoot, outgoing }: Pair): void {
    const sql = 'INSERT OR IGNORE INTO messages VALUES (?, ?, ?, ?, 0, 0)';
    this.#run(sql, conversation, handset, chatwoot, Number(outgoing));
  }

  markDeleted({ conversation, handset }: Pick<Pair, 'conversation' | 'handset'>, deleted = true): void {
    const sql = 'UPDATE messages SET deleted = ? WHERE conversation = ? AND handset = ?';
    this.#run(sql, Number(deleted), conversation, handset);
  }

  /** Raises how far a message has come; answers how far all its parts have come, or null where that is as before. */
  advance({ conversation, handset, chatwoot }: Pair, rank: number): number | null {
    const lowest = (): number =>
      Number(this.#one('SELECT min(rank) AS rank FROM messages WHERE chatwoot = ?', chatwoot)?.rank ?? 0);
    const before = lowest();
    const sql = 'UPDATE messages SET rank = max(rank, ?) WHERE conversation = ? AND handset = ?';
    this.#run(sql, rank, conversation, handset);
    const after = lowest();
    return after > before ? after : null;
  }

  eventIsDone(id: string): boolean {
    return this.#one('SELECT done FROM events WHERE id = ?', id)?.done === 1;
  }

  /** Whether an earlier attempt has begun, and may have posted. */
  beginEvent(id: string): boolean {
    return this.#run('INSERT OR IGNORE INTO events VALUES (?, 0, ?)', id, Date.now()) === 0;
  }

  finishEvent(id: string): void {
    this.#run('INSERT OR REPLACE INTO events VALUES (?, 1, ?)', id, Date.now());
  }

  /** Whether it is new: the same key is taken once, ever. */
  addJob(key: string, conversation: number, recipient: string, payload: string): boolean {
    const sql = `INSERT OR IGNORE INTO jobs (key, conversation, recipient, payload, attempts, not_before, failed)
      VALUES (?, ?, ?, ?, 0, 0, 0)`;
    return this.#run(sql, key, conversation, recipient, payload) > 0;
  }

  /** Whether it had failed, and is to be done again. */
  retakeJob(key: string, recipient: string, payload: string): boolean {
    const sql =
      'UPDATE jobs SET recipient = ?, payload = ?, attempts = 0, not_before = 0, failed = 0 WHERE key = ? AND failed = 1';
    return this.#run(sql, recipient, payload, key) > 0;
  }

  hasFailed(key: string): boolean {
    return this.#one('SELECT id FROM jobs WHERE key = ? AND failed = 1', key) !== undefined;
  }

  nextJob(conversation: number): Job | null {
    const sql = 'SELECT * FROM jobs WHERE conversation = ? AND payload IS NOT NULL ORDER BY id LIMIT 1';
    const row = this.#one(sql, conversation);
    return row === undefined ? null : jobOf(row);
  }

  waitingConversations(): readonly number[] {
    const sql = 'SELECT DISTINCT conversation FROM jobs WHERE payload IS NOT NULL';
    return this.#all(sql).map(({ conversation }) => Number(conversation));
  }

  attempted(id: number): void {
    this.#run('UPDATE jobs SET attempts = attempts + 1 WHERE id = ?', id);
  }

  postpone(id: number, notBefore: number): void {
    this.#run('UPDATE jobs SET not_before = ? WHERE id = ?', notBefore, id);
  }

  /** Ends a job; its text is gone from the file. */
  endJob(id: number, failed = false): void {
    this.#run('UPDATE jobs SET payload = NULL, failed = ? WHERE id = ?', Number(failed), id);
  }

  /** Whether something to one of these may have been sent without its answer having come. */
  hasDoubtful(recipients: readonly string[]): boolean {
    const sql = 'SELECT id FROM jobs WHERE recipient = ? AND payload IS NOT NULL AND attempts > 0';
    return recipients.some((recipient) => this.#one(sql, recipient) !== undefined);
  }

  #one(sql: string, ...values: readonly Value[]): Row | undefined {
    return this.#db.prepare(sql).get(...values);
  }

  #all(sql: string, ...values: readonly Value[]): readonly Row[] {
    return this.#db.prepare(sql).all(...values);
  }

  #run(sql: string, ...values: readonly Value[]): number {
    return Number(this.#db.prepare(sql).run(...values).changes);
  }
}
