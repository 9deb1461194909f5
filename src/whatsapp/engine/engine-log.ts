/** Baileys' logger on ours: everything it says may hold private data, so nothing of it comes above debug. */
import type { SocketConfig } from 'baileys';
import type { Logger } from '../../log.ts';

type ILogger = SocketConfig['logger'];
type Say = (context: unknown, message?: string) => void;

const silent: Say = () => {};

/** `level` decides what Baileys prepares for the log: whole stanzas as text at `trace`. */
const levelOf = (log: Logger): string => {
  if (log.isLevelEnabled('trace')) return 'trace';
  return log.isLevelEnabled('debug') ? 'debug' : 'silent';
};

export const engineLog = (log: Logger): ILogger => {
  const level = levelOf(log);
  const debug: Say =
    level === 'silent'
      ? silent
      : (context, message) => {
          if (typeof context === 'string') log.debug({ engine: true, more: message }, context);
          else log.debug({ engine: true, context }, message);
        };
  const trace: Say = level === 'trace' ? (context, message) => log.trace({ engine: true, context }, message) : silent;
  const logger: ILogger = {
    level,
    child: () => logger,
    trace,
    debug,
    info: debug,
    warn: debug,
    error: debug,
  };
  return logger;
};
