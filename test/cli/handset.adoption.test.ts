/** `handset device adopt` and `release`: the forms in which programs that are built on Baileys keep a session. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ada, addPhones, bob, linkDevice } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';
import { openShell } from './terminal.support.ts';

let installation: Installation;
let shell: Awaited<ReturnType<typeof openShell>>;
let folder: string;
/** Released, so in Baileys' own form. */
let session: string;

const ran = async (...args: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await shell.handset(args);
  assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
  return stdout;
};

const refused = async (words: RegExp, ...args: readonly string[]): Promise<void> => {
  const { code, stderr } = await shell.handset(['device', 'adopt', ...args]);
  assert.notEqual(code, 0, args.join(' '));
  assert.match(stderr, words);
};

/** Into the folder again: keys of an older copy were used meanwhile. */
const movesOut = async (id: string): Promise<void> => {
  await rm(session, { recursive: true });
  await ran('device', 'release', id, session);
  await ran('device', 'delete', id, '--yes');
};

/** Adopts, writes a text, and moves out again, since the next form is of the same link. */
const movesIn = async (...args: readonly string[]): Promise<void> => {
  const [adopted] = (await shell.json(['device', 'adopt', ...args, '--stopped'])) as [{ device: { id: number } }];
  const { id } = adopted.device;
  await ran('send', 'text', String(id), bob, 'moved in');
  await movesOut(String(id));
};

before(async () => {
  installation = await startInstallation();
  await addPhones(installation);
  shell = await openShell({ HANDSET_URL: installation.handset.url, HANDSET_KEY: ownerKey });
  folder = await mkdtemp(join(tmpdir(), 'handset-adoption-'));
  session = join(folder, 'session');
  const id = await linkDevice(installation, ada);
  await ran('send', 'text', String(id), bob, 'before');
  const told = await ran('device', 'release', String(id), session);
  assert.match(told, /Whoever has these files has the account/);
  await ran('device', 'delete', String(id), '--yes');
});
after(async () => {
  await shell[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

test('what is no session, or is still used, is refused before anything is sent', async () => {
  await refused(/written \d+ s ago: stop the program/, session);
  await refused(/cannot be read: there is no such file/, join(folder, 'nothing'));
  const linked = join(folder, 'linked');
  await mkdir(linked);
  await symlink(join(session, 'creds.json'), join(linked, 'creds.json'));
  await refused(/creds\.json is a symbolic link/, linked, '--stopped');
  await mkdir(join(folder, 'empty'));
  await refused(/no creds\.json/, join(folder, 'empty'));
  for (const [name, text, words] of [
    ['text.json', 'hello', /neither a folder nor a JSON file/],
    ['number.json', '1', /no session of Baileys/],
    ['short', 'x', /neither/],
    ['rows.json', '[]', /--session is one of/],
  ] as const) {
    await writeFile(join(folder, name), text);
    await refused(words, join(folder, name), '--stopped');
  }
  const { code, stderr } = await shell.handset(['device', 'release', '1', session]);
  assert.equal(code, 1);
  assert.match(stderr, /is not empty/);
});

test('a folder moves in, as Baileys and WAHA (NOWEB) keep it', async () => {
  const minuteAgo = Date.now() / 1000 - 60;
  for (const name of await readdir(session)) await utimes(join(session, name), minuteAgo, minuteAgo);
  const text = await ran('device', 'adopt', session);
  assert.match(text, /Sessions: +[1-9]/);
  const [, id] = /Device (\d+) is connected/.exec(text)!;
  await movesOut(id!);
});

test("Evolution API's credentials come from its database, the rest from its folder", async () => {
  const instance = join(folder, 'instance');
  await mkdir(instance);
  const creds = await readFile(join(session, 'creds.json'), 'utf8');
  for (const name of await readdir(session))
    if (name !== 'creds.json') await writeFile(join(instance, name), await readFile(join(session, name)));
  await writeFile(join(folder, 'creds.txt'), JSON.stringify(creds));
  await movesIn(instance, '--creds', join(folder, 'creds.txt'));
});

test("OpenWA's rows come as JSON, as its database writes it", async () => {
  const rows: { sessionName: string; keyType: string; keyId: string; value: string }[] = [];
  for (const name of await readdir(session)) {
    const [, keyType, keyId] = /^(creds|[a-z-]+?)(?:-([^-].*))?\.json$/.exec(name)!;
    rows.push({
      sessionName: 'main',
      keyType: keyType!,
      keyId: keyId ?? 'creds',
      value: await readFile(join(session, name), 'utf8'),
    });
  }
  const path = join(folder, 'rows.json');
  const other = { sessionName: 'other', keyType: 'creds', keyId: 'creds', value: '{}' };
  await writeFile(path, JSON.stringify([...rows, other]));
  await refused(/--session is one of main, other/, path, '--stopped');
  await movesIn(path, '--session', 'main');
});
