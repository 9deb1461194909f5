/** The service in a process of its own, as `npm start` runs it; its time can run faster. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Level, multistream } from 'pino';
import { readConfig } from '../../../src/config.ts';
import { type Logger, makeLog } from '../../../src/log.ts';
import { type Handset, startHandset } from '../../../src/main.ts';
import type { ProbePace } from '../../../src/whatsapp/connection/probe.ts';
import { quickClock } from '../../support/clock.ts';
import { serveCommands, settledHeap, settledMemory } from './child.ts';

export interface Start {
  readonly probePace?: ProbePace;
  /** Time that runs so much faster, since then (ms), and is so much ahead. */
  readonly pace?: { readonly speed: number; readonly since: number; readonly aheadMs: number };
}

let handset: Handset | null = null;
let clock: ReturnType<typeof quickClock> | null = null;

let commits = 0;

/** Counts transactions where they end: each is one execution of this statement. */
const { prepare } = DatabaseSync.prototype;
DatabaseSync.prototype.prepare = function counting(this: DatabaseSync, sql: string): StatementSync {
  const statement = prepare.call(this, sql);
  if (sql !== 'commit') return statement;
  const all = statement.all.bind(statement);
  return Object.assign(statement, {
    all: () => {
      commits += 1;
      return all();
    },
  });
};

/** As the service's own; errors are told to the parent as well, at any level. */
const logAt = (level: string): Logger => {
  const toParent = { write: (line: string) => void process.send?.({ logged: JSON.parse(line) }) };
  if (level === 'silent') return makeLog('error', multistream([{ level: 'error', stream: toParent }]));
  const streams = multistream([
    { level: level as Level, stream: process.stdout },
    { level: 'error', stream: toParent },
  ]);
  return makeLog(level === 'fatal' ? 'error' : level, streams);
};

serveCommands({
  async start({ pace, ...given }: Start = {}) {
    clock = pace === undefined ? null : quickClock(pace.speed, pace.since);
    clock?.ahead(pace?.aheadMs ?? 0);
    const config = readConfig();
    const log = logAt(config.logLevel);
    const { TEST_FIRST_PREKEYS: keys } = process.env;
    const more = { ...(keys !== undefined && { firstPreKeys: Number(keys) }), ...(clock !== null && { clock }) };
    handset = await startHandset(config, { ...given, log, ...more });
    return handset.url;
  },
  memory: () => settledMemory(),
  heap: () => settledHeap(),
  resident: () => process.memoryUsage.rss(),
  cpu: () => process.cpuUsage(),
  /** Transactions on SQLite so far. */
  commits: () => commits,
  /** Moves the time of a service ahead, if it was started with a faster clock. */
  ahead(ms: number) {
    clock!.ahead(ms);
  },
  async stop() {
    await handset?.close();
  },
});
