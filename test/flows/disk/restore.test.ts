/**
 * A database is put back to an earlier state, in each way that there is, under a device that has talked on since: no key encrypts
 * twice, everything that is said afterwards is read, and settings of chats are again as on the phone (docs/internals/durability.md, "A database that was put back").
 */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { backupFolder, folderWasRestored, postgresWasRestored, restoreFolder } from '../../../src/main/offline.ts';
import { api } from '../../support/api.ts';
import { type Installation, startInstallation } from '../../support/installation.ts';
import { sized } from '../../system/support/length.ts';
import { type TestPostgres, startPostgres } from '../../support/postgres.ts';
import { eventually } from '../../support/wait.ts';
import { ada, addPhones, bob, linkDevice, untilEvent, untilOpen, untilShown } from '../steps.ts';

const adminToken = 'an-admin-token-of-some-length-here';
const cyd = '4915550003333';

interface Chat {
  readonly id: number;
  readonly group: string;
}

const begin = async (installation: Installation): Promise<Chat> => {
  await addPhones(installation);
  await installation.phones.add(cyd, 'Cyd');
  const { jid: group } = await installation.phones.request<{ jid: string }>('POST', '/groups', {
    subject: 'Friends',
    owner: bob,
    participants: [ada, cyd],
  });
  return { id: await linkDevice(installation), group };
};

const send = async (place: Installation, id: number, body: Readonly<Record<string, unknown>>): Promise<void> => {
  const sent = await place.api.post(`/devices/${id}/messages/text`, body);
  assert.equal(sent.status, 200, JSON.stringify(sent.body));
};

const heard = (installation: Installation, id: number, text: string) =>
  untilEvent(
    installation,
    id,
    'message.received',
    (data: { message: { text: string | null } }) => data.message.text === text,
  );

/** Messages each way, to a person and in a group; all of them are read at the other end. */
const talk = async (
  installation: Installation,
  { id, group }: Chat,
  name: string,
  rounds = sized([1], [1, 2]),
): Promise<void> => {
  const { phones } = installation;
  for (const n of rounds) {
    const text = (way: string): string => `${name} ${n} ${way}`;
    await send(installation, id, { toNumber: bob, message: text('to a person') });
    await send(installation, id, { to: group, message: text('to the group') });
    await phones.write(bob, { to: ada, text: text('from a person') });
    await phones.write(cyd, { to: group, text: text('from the group') });
    await untilShown(installation, bob, text('to a person'));
    for (const number of [bob, cyd, ada]) await untilShown(installation, number, text('to the group'));
    for (const way of ['from a person', 'from the group']) await heard(installation, id, text(way));
  }
};

const untilArchived = async ({ api: client }: Installation, { id }: Chat): Promise<unknown> =>
  eventually(
    'the chat in the archive',
    async () => (await client.get(`/devices/${id}/chats/${bob}`)).body.chat.archived,
  );

/** The service is stopped; how it starts again is part of the step. */
type Step = (installation: Installation) => Promise<void>;

/** How often a restoration was noticed. */
const noticed = async ({ handset }: Installation): Promise<number> => {
  const { body } = await api(`${handset.url}/admin/v1`, adminToken).get('/audit?limit=1000');
  return (body.entries as { action: string }[]).filter(({ action }) => action === 'backup.restored').length;
};

/** Talks, copies the database, talks on, puts the copy back, and talks again. */
const play = async (steps: { readonly start?: Step; readonly copy: Step; readonly putBack: Step }): Promise<void> => {
  await using installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken });
  await steps.start?.(installation);
  const chat = await begin(installation);
  await talk(installation, chat, 'before');
  await installation.stop();
  await steps.copy(installation);
  await untilOpen(installation, chat.id);
  await talk(installation, chat, 'lost', [1, 2]);
  await installation.phones.request('PATCH', `/phones/${ada}/chats/${bob}`, { archived: true });
  await untilArchived(installation, chat);
  assert.equal(await noticed(installation), 0, 'an ordinary start is no restoration');
  await installation.stop();
  await steps.putBack(installation);
  await untilOpen(installation, chat.id);
  await talk(installation, chat, 'after');
  await untilArchived(installation, chat);
  assert.equal(await noticed(installation), 1, 'it was noticed, and noticed once');
  await installation.restart();
  await untilOpen(installation, chat.id);
  await talk(installation, chat, 'much later');
  assert.equal(await noticed(installation), 1);
  const { reusedKeys, mediaFailures } = await installation.phones.stats();
  assert.deepEqual([reusedKeys, mediaFailures], [0, 0]);
};

const databaseOf = ({ dataDir }: Installation): string => join(dataDir, 'handset.db');
const copyOf = ({ dataDir }: Installation): string => join(dataDir, 'copy.db');

const copyFiles: Step = async (installation) => {
  await copyFile(databaseOf(installation), copyOf(installation));
  await installation.restart();
};

const putFilesBack = async (installation: Installation): Promise<void> => {
  await copyFile(copyOf(installation), databaseOf(installation));
  for (const rest of ['-wal', '-shm']) await rm(databaseOf(installation) + rest, { force: true });
};

const forget = ({ dataDir }: Installation): Promise<void> => rm(join(dataDir, 'generation.json'));

const backUp: Step = async (installation) => {
  await backupFolder(installation.dataDir, copyOf(installation));
  await installation.restart();
};

describe('a database that was put back', () => {
  it('is noticed where the file was copied by hand', () =>
    play({
      copy: copyFiles,
      async putBack(installation) {
        await putFilesBack(installation);
        await installation.restart();
      },
    }));

  it('is known as a backup in a folder that knows nothing of what was said', () =>
    play({
      copy: backUp,
      async putBack(installation) {
        await putFilesBack(installation);
        await forget(installation);
        await installation.restart();
      },
    }));

  it('is told of by the operator in a folder that knows nothing of what was said', () =>
    play({
      copy: copyFiles,
      async putBack(installation) {
        await putFilesBack(installation);
        await forget(installation);
        assert.equal(await folderWasRestored(installation.dataDir, null), 1);
        await installation.restart();
      },
    }));

  it('begins anew after `handset restore`', () =>
    play({
      copy: backUp,
      async putBack(installation) {
        await restoreFolder(installation.dataDir, copyOf(installation), null);
        await installation.restart();
      },
    }));
});

describe('a PostgreSQL that was put back', () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.close());

  /** A database that is copied before what is lost is said. */
  const onPostgres = async (putBack: (installation: Installation, copy: string) => Promise<void>): Promise<void> => {
    const url = await postgres.database();
    const name = new URL(url).pathname.slice(1);
    await play({
      async start(installation) {
        await installation.stop();
        // A new installation: nothing of the folder is to move.
        await forget(installation);
        await installation.moveTo(url);
      },
      async copy(installation) {
        const client = new Client(postgres.only);
        await client.connect();
        await client.query(`create database ${name}_copy template ${name}`);
        await client.end();
        await installation.moveTo(url);
      },
      putBack: (installation) => putBack(installation, `${url}_copy`),
    });
  };

  it('is noticed by a node that has its data folder still', () =>
    onPostgres((installation, copy) => installation.moveTo(copy)));

  it('is told of by the operator, for nodes with fresh data folders', () =>
    onPostgres(async (installation, copy) => {
      const secret = (await readFile(join(installation.dataDir, 'secret'), 'utf8')).trim();
      assert.equal(await postgresWasRestored(copy, secret), 1);
      const folder = await mkdtemp(join(tmpdir(), 'handset-fresh-'));
      await installation.moveTo(copy, folder);
    }));
});
