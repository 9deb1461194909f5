/** Downloads of media and pictures. */
import { open, rm } from 'node:fs/promises';
import type { Context } from './command.ts';
import { bytesOf } from '../terminal/output.ts';

export const download = async ({ client, out }: Context, path: string, file: string): Promise<void> => {
  const target = await open(file, 'wx', 0o600);
  try {
    using _ = out.progress('Fetching');
    const response = await client().open(path, '*/*');
    await target.writeFile(response.body ?? '');
    const { size: bytes } = await target.stat();
    out.value({ file, bytes, type: response.headers.get('content-type') });
    out.line(`Saved ${bytesOf(bytes)} to ${file}`);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await target.close();
  }
};
