/** `handset device export`, `import` and `forget` (operator); `adopt` and `release` from and to programs built on Baileys (docs/migrating.md). */
import { constants } from 'node:fs';
import { chmod, lstat, mkdir, open, opendir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError, unreadable, usageError, type Answer } from '../../mcp/client.ts';
import { type Command, deviceId, flagOption, positional, proxyHelp, proxyOf, textOption } from '../command/command.ts';
import { callCommand } from '../command/generic.ts';
import { userOf } from '../command/operator.ts';
import { waitForOpen } from '../command/pairing.ts';
import { fields } from '../terminal/output.ts';

const deviceExport: Command = {
  words: 'device export',
  summary: 'Stop a device and export it to another installation (operator)',
  positionals: ['device', 'file'],
  async run({ admin, out, askSecret }, given) {
    const id = deviceId(given);
    const file = positional(given, 1);
    const client = admin();
    const passphrase = await askSecret('Passphrase for the package (12 characters or more): ');
    // Create the file before the device is stopped, so that an unwritable path costs nothing.
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    await chmod(file, 0o600);
    try {
      const body = await client.call<{ export: string }>('POST', `/devices/${id}/export`, { passphrase });
      await writeFile(file, `${body.export}\n`);
    } catch (error) {
      await rm(file, { force: true });
      throw error;
    }
    out.value({ file });
    out.line(`Stopped device ${id} and exported it to ${file}.`);
    out.line(
      `Next, on the other installation: handset device import ${file} --user <user>. Then here: handset device forget ${id}`,
    );
  },
};

const deviceImport: Command = {
  words: 'device import',
  summary: 'Import a device from another installation (operator)',
  positionals: ['file'],
  options: {
    user: { type: 'string', help: 'the new owner, by id or name' },
    proxy: { type: 'string', help: proxyHelp },
  },
  async run(context, given) {
    const { admin, out, askSecret } = context;
    const name = textOption(given, 'user');
    if (name === undefined) throw usageError('--user is missing: give the new owner of the device');
    const client = admin();
    const packed = (await readFile(positional(given, 0), 'utf8')).trim();
    const user = await userOf(client, name);
    const passphrase = await askSecret('Passphrase of the package: ');
    const body = { export: packed, passphrase, proxy: await proxyOf(context, given) };
    const path = `/users/${user.id}/devices`;
    const { device } = await client.call<{ device: { id: number } }>('POST', path, body);
    out.value(device);
    out.line(`Device ${device.id} of user ${user.id} is connecting`);
  },
};

const deviceForget = callCommand('forgetAnyDevice', {
  done: (_, given) => [`Device ${positional(given, 0)} forgotten`],
});

type Files = ReadonlyMap<string, string>;

interface Found {
  readonly files: Files;
  readonly newest: number;
}

const maxNames = 100_000;
/** Below the service's limit of a request. */
const maxBytes = 22 * 1_048_576;
const maxFileBytes = 256 * 1_048_576;
/** A file written this recently probably belongs to a running program. */
const quietMs = 30_000;

/** Regular files only: a symbolic link may lead out of the folder. */
const readPlain = async (path: string): Promise<{ readonly text: string; readonly writtenAt: number }> => {
  const isLink = (await lstat(path)).isSymbolicLink();
  if (isLink) throw new CommandError(`${path} is a symbolic link; a session folder has plain files`);
  await using file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  const { mtimeMs } = await file.stat();
  return { text: await file.readFile('utf8'), writtenAt: mtimeMs };
};

const readFolder = async (path: string): Promise<Found> => {
  const names: string[] = [];
  for await (const { name } of await opendir(path)) {
    if (!name.endsWith('.json')) continue;
    if (names.push(name) > maxNames)
      throw new CommandError(`${path} has more than ${maxNames} files; it is no session`);
  }
  const files = new Map<string, string>();
  let newest = 0;
  for (const name of names) {
    const { text, writtenAt } = await readPlain(join(path, name));
    files.set(name, text);
    newest = Math.max(newest, writtenAt);
  }
  return { files, newest };
};

interface Row {
  readonly sessionName: string;
  readonly keyType: string;
  readonly keyId: string;
  readonly value: string;
}

const isRow = (value: unknown): value is Row =>
  typeof value === 'object' &&
  value !== null &&
  ['sessionName', 'keyType', 'keyId', 'value'].every((name) => typeof Reflect.get(value, name) === 'string');

/** OpenWA splits the file names in two columns (`baileys-auth-state.entity.ts`, read 2026-11-26). */
const filesOfRows = (rows: readonly Row[], session: string | undefined): Files => {
  const sessions = [...new Set(rows.map(({ sessionName }) => sessionName))];
  const wanted = session ?? (sessions.length === 1 ? sessions[0] : undefined);
  if (wanted === undefined || !sessions.includes(wanted))
    throw usageError(`--session is one of ${sessions.slice(0, 20).join(', ')}`);
  return new Map(
    rows
      .filter(({ sessionName }) => sessionName === wanted)
      .map(({ keyType, keyId, value }) => [keyType === 'creds' ? 'creds.json' : `${keyType}-${keyId}.json`, value]),
  );
};

const readOneFile = async (path: string, session: string | undefined): Promise<Found> => {
  const { size } = await lstat(path);
  if (size > maxFileBytes) throw new CommandError(`${path} is too large to be a session`);
  const { text, writtenAt: newest } = await readPlain(path);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new CommandError(`${path} is neither a folder nor a JSON file`);
  }
  if (Array.isArray(value)) return { files: filesOfRows(value.filter(isRow), session), newest };
  if (typeof value !== 'object' || value === null) throw new CommandError(`${path} is no session of Baileys`);
  const members: readonly (readonly [string, unknown])[] = Object.entries(value);
  const texts = members.map(([name, each]) => [name, typeof each === 'string' ? each : JSON.stringify(each)] as const);
  return { files: new Map(texts), newest };
};

const readSession = async (path: string, session: string | undefined): Promise<Found> => {
  try {
    return (await lstat(path)).isDirectory() ? await readFolder(path) : await readOneFile(path, session);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw unreadable('session', path, error);
  }
};

/** Sender keys last: their owner sends them again when a message cannot be read. */
const fitting = (files: Files): { readonly body: Record<string, string>; readonly left: number } => {
  const byImportance = [...files].toSorted(
    ([a], [b]) => Number(a.startsWith('sender-key-')) - Number(b.startsWith('sender-key-')),
  );
  const body: Record<string, string> = {};
  let [bytes, left] = [0, 0];
  for (const [name, text] of byImportance) {
    bytes += JSON.stringify(text).length + name.length + 8;
    if (bytes > maxBytes) left++;
    else body[name] = text;
  }
  return { body, left };
};

type Adopted = Answer<'adoptDevice'>;

const deviceAdopt: Command = {
  words: 'device adopt',
  summary: 'Move an account in from a program built on Baileys, without a scan',
  positionals: ['folder|file'],
  options: {
    name: { type: 'string', help: 'name of the device' },
    session: { type: 'string', help: 'which session of the file, where it has several' },
    creds: { type: 'string', help: 'file with the credentials, where they are not in the folder (Evolution API)' },
    stopped: { type: 'boolean', help: 'the other program is stopped, although its files are new' },
    proxy: { type: 'string', help: proxyHelp },
  },
  async run(context, given) {
    const { client, out } = context;
    const path = positional(given, 0);
    const creds = textOption(given, 'creds');
    const found = await readSession(path, textOption(given, 'session'));
    const files = new Map(found.files);
    if (creds !== undefined) {
      const { text } = await readPlain(creds).catch((error: unknown) =>
        Promise.reject(unreadable('file', creds, error)),
      );
      files.set('creds.json', text);
    }
    const age = Date.now() - found.newest;
    if (age < quietMs && !flagOption(given, 'stopped'))
      throw new CommandError(
        `${path} was written ${Math.max(0, Math.round(age / 1000))} s ago: stop the program that uses it, which would be disconnected; then add --stopped`,
      );
    const { body, left } = fitting(files);
    const { device, adopted } = await client().call<Adopted>('POST', '/devices/adopt', {
      files: body,
      name: textOption(given, 'name'),
      proxy: await proxyOf(context, given),
    });
    out.value({ device, adopted });
    out.line(`Device ${device.id} created; keep the other program stopped`);
    out.line(
      ...fields([
        ['Sessions', adopted.sessions],
        ['Group keys', adopted.groupKeys],
        ['Prekeys', adopted.preKeys],
        ['Files left out', adopted.skipped + left],
      ]),
    );
    if (left > 0) out.note(`${left} group keys were too large together; their owners send them again`);
    if (adopted.appStateKeys === 0) out.note('The keys of chats and contacts are missing; the phone is asked for them');
    await waitForOpen(context, device.id);
    out.line(`Device ${device.id} is connected`);
  },
};

const deviceRelease: Command = {
  words: 'device release',
  summary: 'Stop a device and write its session into a folder, as Baileys keeps it',
  positionals: ['device', 'folder'],
  async run({ client, out }, given) {
    const id = deviceId(given);
    const folder = positional(given, 1);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if ((await readdir(folder)).length > 0) throw new CommandError(`${folder} is not empty; give a new folder`);
    const { files } = await client().call<{ files: Readonly<Record<string, string>> }>(
      'POST',
      `/devices/${id}/release`,
    );
    for (const [name, text] of Object.entries(files)) {
      if (/[/\\]/.test(name)) throw new CommandError(`the service named a file "${name}"`);
      await writeFile(join(folder, name), text, { mode: 0o600, flag: 'wx' });
    }
    out.value({ folder, files: Object.keys(files).length });
    out.line(`Stopped device ${id} and wrote its session into ${folder}. Whoever has these files has the account.`);
    out.line(`Once it runs elsewhere: handset device delete ${id}, which does not log it out any more`);
  },
};

export const deviceTransferCommands: readonly Command[] = [
  deviceAdopt,
  deviceRelease,
  deviceExport,
  deviceImport,
  deviceForget,
];
