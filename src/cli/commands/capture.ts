/** `handset capture` and `capture compare`: the structure of the traffic of a device, without its content. */
import { readFile, writeFile } from 'node:fs/promises';
import known from './capture-baseline.json' with { type: 'json' };
import { type Command, positional, deviceId, textOption } from '../command/command.ts';
import { CommandError, exitCodes, unreadable, usageError } from '../../mcp/client.ts';

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

const captureCompare: Command = {
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

export interface CaptureFile {
  readonly startedAt: string;
  readonly endsAt: string;
  readonly shapes: readonly { readonly shape: string; readonly count: number }[];
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
const maxSeconds = 86_400;
const saveMs = 2_000;

const secondsOf = (text: string): number => {
  const [, count = '', unit = ''] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const seconds = Number(count) * (units[unit] ?? 0);
  if (seconds < 1 || seconds > maxSeconds) throw usageError('--for is a time such as 30s, 10m or 2h, at most 24h');
  return seconds;
};

const capture: Command = {
  words: 'capture',
  summary: 'Record the structure of the traffic of a device, without content, into a file (operator)',
  positionals: ['device', 'file'],
  options: { for: { type: 'string', help: 'how long, such as 30s, 10m (default) or 24h, which is the most' } },
  async run({ admin, out, sleep }, given) {
    const id = deviceId(given);
    const file = positional(given, 1);
    const seconds = secondsOf(textOption(given, 'for') ?? '10m');
    const client = admin();
    const path = `/devices/${id}/capture`;
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    const save = async (method: 'GET' | 'DELETE'): Promise<CaptureFile> => {
      const { capture: captured } = await client.call<{ capture: CaptureFile }>(method, path);
      await writeFile(file, `${JSON.stringify(captured, null, 1)}\n`);
      return captured;
    };
    await client.call('POST', path, { seconds });
    out.note(`Capturing device ${id} into ${file}. Ctrl-C ends this; the file then has what was captured so far.`);
    const end = performance.now() + seconds * 1_000;
    while (performance.now() < end) {
      await sleep(Math.min(saveMs, end - performance.now()));
      await save('GET');
    }
    const { shapes } = await save('DELETE');
    out.value({ file, shapes: shapes.length });
    out.line(`${shapes.length} shapes are in ${file}. Next: handset capture compare ${file}`);
  },
};

export const captureCommands: readonly Command[] = [captureCompare, capture];
