/** `handset reread`: reads stored messages of unknown kind anew, after an upgrade. */
import type { Command } from '../command/command.ts';
import { allDevices } from '../command/operator.ts';

interface Page {
  readonly unknown: number;
  readonly translated: number;
  readonly nextCursor: string | null;
}

export const reread: Command = {
  words: 'reread',
  summary: 'Read stored messages of unknown kind again, after an upgrade (operator)',
  positionals: [],
  async run({ admin, out }) {
    const client = admin();
    using _ = out.progress('Reading');
    let [unknown, translated] = [0, 0];
    for (const { id } of await allDevices(client)) {
      let cursor: string | null = null;
      do {
        const query: string = cursor === null ? '' : `?cursor=${encodeURIComponent(cursor)}`;
        const page: Page = await client.call('POST', `/devices/${id}/reread${query}`);
        unknown += page.unknown;
        translated += page.translated;
        cursor = page.nextCursor;
      } while (cursor !== null);
    }
    out.value({ unknown, translated });
    out.line(`Read ${translated} of ${unknown} messages of unknown kind anew.`);
  },
};
