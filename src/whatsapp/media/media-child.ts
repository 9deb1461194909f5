/** The media process, so that a hostile file harms nothing else through a decoder. Started by `media-process.ts`. */
import { answerWith, type Piece, type Task, type Wanted } from './media-answer.ts';

const maxResident = Number(process.argv[2]);
const lookEveryMs = 10;

setInterval(() => {
  if (process.memoryUsage.rss() > maxResident) process.kill(process.pid, 'SIGKILL');
}, lookEveryMs).unref();

const waiting = new Map<number, (piece: Uint8Array | null) => void>();
let lastId = 0;

const read = async (offset: number, length: number): Promise<Uint8Array> => {
  lastId += 1;
  const wanted: Wanted = { id: lastId, offset, length };
  const piece = await new Promise<Uint8Array | null>((resolve) => {
    waiting.set(wanted.id, resolve);
    process.send?.(wanted);
  });
  if (piece === null) throw new Error('the file could not be read');
  return piece;
};

// The service ends it: a signal to the whole group arrives while media is still being sent.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (message: Task | Piece) => {
  if ('task' in message) return void answerWith(message, read).then((answer) => process.send?.(answer));
  waiting.get(message.id)?.(message.piece);
  waiting.delete(message.id);
});
