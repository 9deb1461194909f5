/** `handset capture compare`: what a capture has that the sandbox never showed: there the real network differs from what Handset knows. */
import { readFile } from 'node:fs/promises';
import known from './capture-baseline.json' with { type: 'json' };
import { type Command, positional } from '../command/command.ts';
import { CommandError, exitCodes, unreadable } from '../client/failure.ts';
import type { CaptureFile } from './capture.ts';

const isCapture = (value: unknown): value is CaptureFile =>
  typeof value === 'object' &&
  value !== null &&
  'shapes' in value &&
  Array.isArray(value.shapes) &&
  value.shapes.every((each: { shape?: unknown } | null) => typeof each?.shape === 'string');

const read = async (file: string): Promise<CaptureFile> => {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, 'utf8'));
  } catch (error) {
    throw unreadable('capture', file, error);
  }
  if (!isCapture(value)) throw new CommandError(`${file} is no capture`);
  return value;
};

const baseline: ReadonlySet<string> = new Set(known);

export const captureCompare: Command = {
  words: 'capture compare',
  summary: 'Show what a capture has that the sandbox never showed',
  positionals: ['file'],
  anonymous: true,
  async run({ out }, given) {
    const { shapes } = await read(positional(given, 0));
    const news = shapes.filter(({ shape }) => !baseline.has(shape));
    out.value({ shapes: shapes.length, new: news });
    for (const { shape, count } of news) out.line(`${String(count).padStart(6)}  ${shape}`);
    if (news.length > 0) {
      throw new CommandError(
        `${news.length} of ${shapes.length} shapes were never seen in the sandbox`,
        exitCodes.differs,
      );
    }
    out.line(`All ${shapes.length} shapes are known from the sandbox.`);
  },
};
