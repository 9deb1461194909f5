/** A process that reads images: what a hostile file does to the decoder, it does to nothing else. Started by `image-process.ts`. */
import { answerWith, type Asked } from './image-answer.ts';

/** With the decoder loaded it is about 90 MB; images that need more than is left are refused before they are read (`image.ts`). */
const maxResident = 320 * 1_048_576;
const lookEveryMs = 10;

/** The decoder works in threads of its own, so this one is free to look. */
setInterval(() => {
  if (process.memoryUsage.rss() > maxResident) process.kill(process.pid, 'SIGKILL');
}, lookEveryMs).unref();

// The service decides when it ends: a signal to the whole group comes while images are still being sent.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('disconnect', () => process.exit());
process.on('message', (asked: Asked) => {
  void answerWith(asked).then((answer) => process.send?.(answer));
});
