/** The operator's commands against a running service: users, keys, devices, audit, and the data folder. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { ada, addPhones, bob, linkDevice, untilEvent } from '../flows/steps.ts';
import { api } from '../support/api.ts';
import { startInstallation } from '../support/installation.ts';
import { eventually } from '../support/wait.ts';
import { openShell } from './terminal.support.ts';

const adminToken = 'the-admin-token-of-the-installation';

test('the operator runs an installation from the command line', async (t) => {
  await using installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken });
  await addPhones(installation);
  const { url } = installation.handset;
  await using shell = await openShell({
    HANDSET_URL: url,
    HANDSET_ADMIN_TOKEN: adminToken,
    HANDSET_DATA_DIR: installation.dataDir,
    HANDSET_NETWORK: installation.phones.controlUrl,
  });
  const ran = async (args: readonly string[], input?: string): Promise<string> => {
    const { code, stdout, stderr } = await shell.handset(args, input);
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  let secret = '';
  const works = async (key: string): Promise<boolean> => (await api(`${url}/v1`, key).get('/me')).status === 200;

  await t.test('users: create, list, update, delete', async () => {
    secret = (await ran(['user', 'create', 'acme', '--device-limit', '2'])).trim();
    assert.ok(await works(secret));
    assert.match(await ran(['user', 'list']), /\n2 +0 of 2 +\S+ +acme\n1 /, 'newest first');
    assert.match(await ran(['user', 'update', 'acme', '--device-limit', '5']), /0 of 5 devices/);
    await ran(['user', 'create', 'gone']);
    assert.equal((await shell.handset(['user', 'delete', 'gone'])).code, 2, 'asks to be told twice');
    await ran(['user', 'delete', 'gone', '--yes']);
    assert.equal((await shell.handset(['user', 'update', 'gone', '--name', 'x'])).code, 1);
  });

  await t.test('keys are rotated with an overlap', async () => {
    const next = (await ran(['key', 'create', 'second', '--user', 'acme'])).trim();
    const ids = (await shell.json(['key', 'list', '--user', 'acme']))[0] as { id: number; name: string }[];
    assert.deepEqual(
      ids.map(({ name }) => name),
      ['second', 'first key'],
    );
    const old = String(ids.find(({ name }) => name === 'first key')!.id);
    await ran(['key', 'expire', old, '--user', 'acme', '--at', '2099-01-01T00:00:00Z']);
    assert.ok((await works(secret)) && (await works(next)), 'both for now');
    await ran(['key', 'expire', old, '--user', 'acme', '--at', '2020-01-01T00:00:00Z']);
    assert.deepEqual([await works(secret), await works(next)], [false, true]);
    await ran(['key', 'expire', old, '--user', 'acme', '--never']);
    assert.ok(await works(secret));
    await ran(['key', 'revoke', old, '--user', 'acme']);
    assert.equal(await works(secret), false);
  });

  let id = 0;
  await t.test('devices of all users are listed, stopped and started', async () => {
    id = await linkDevice(installation, ada, { name: 'Front desk' });
    assert.match(await ran(['device', 'list', '--all']), new RegExp(`\n${id} +1 +connected +active +0 +Front desk\n`));
    await ran(['device', 'stop', String(id), '--admin']);
    assert.equal((await installation.api.get(`/devices/${id}`)).body.device.subscription_status, 'inactive');
    await ran(['device', 'start', String(id), '--admin']);
    const status = async () => (await installation.api.get(`/devices/${id}`)).body.device.status === 'connected';
    await eventually('it is connected again', status);
  });

  await t.test('messages of unknown kind are read anew', async () => {
    await installation.phones.write(bob, { to: ada, message: { placeholderMessage: {} } });
    await untilEvent(installation, id, 'message.received');
    assert.equal(await ran(['reread']), 'Read 0 of 1 messages of unknown kind anew.\n');
  });

  await t.test('a device is moved by three commands', async () => {
    const file = join(installation.dataDir, 'moving');
    await ran(['device', 'export', String(id), file], 'correct horse battery staple');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.match(readFileSync(file, 'utf8'), /^handset-device-1\.[\w-]+\n$/);
    const moved = await ran(['device', 'import', file, '--user', 'acme'], 'correct horse battery staple');
    assert.match(moved, /^Device \d+ of user 2 is connecting/);
    await ran(['device', 'forget', String(id)]);
    id = Number(/\d+/.exec(moved)![0]);
    await eventually('it is connected', async () =>
      (await ran(['device', 'list', '--all'])).includes(`${id}   2     connected`),
    );
  });

  await t.test('the audit log tells all of it', async () => {
    const log = await ran(['audit', '--limit', '1000']);
    for (const action of ['user.created', 'key.expiry_changed', 'key.revoked', 'device.exported', 'device.imported']) {
      assert.match(log, new RegExp(`operator from \\S+ +${action.replace('.', '\\.')}`), action);
    }
    assert.ok(!log.includes(secret));
  });

  await t.test('the database is backed up while the service runs, and restored while it does not', async () => {
    const file = join(installation.dataDir, 'copy.db');
    assert.match(await ran(['migrate', '--check']), /up to date: the next start changes nothing/);
    assert.equal((await shell.handset(['migrate'])).code, 2);
    const beside = new DatabaseSync(join(installation.dataDir, 'handset.db'));
    beside.exec("insert into kept_media values (1, 1, 'kept', 0, 0, 0, 'a file', 2500000, null, 0)");
    assert.match(
      await ran(['backup', `${file}.first`]),
      /\nKept media \(1 file, 2\.5 MB\) is not in it: back up .*\/media as well\.\nIt can only/,
    );
    const [media, copies] = [join(installation.dataDir, 'media', '1'), join(installation.dataDir, 'copies')];
    mkdirSync(media, { recursive: true });
    for (const name of ['one', 'two', 'three.part']) writeFileSync(join(media, name), name);
    const withMedia = ['--media', copies];
    assert.match(
      await ran(['backup', `${file}.second`, ...withMedia]),
      /\nCopied 2 new files of kept media to .*copies\.\n/,
    );
    assert.deepEqual(readdirSync(join(copies, '1')).sort(), ['one', 'two']);
    writeFileSync(join(media, 'three'), 'three');
    assert.match(await ran(['backup', `${file}.third`, ...withMedia]), /\nCopied 1 new file of kept media/);
    assert.equal(readFileSync(join(copies, '1', 'three'), 'utf8'), 'three');
    beside.exec('delete from kept_media');
    beside.close();
    assert.match(await ran(['backup', file]), /encrypted\)\.\nIt can only be opened with the file/);
    await ran(['user', 'create', 'after-the-backup']);
    const running = await shell.handset(['restore', file, '--yes']);
    assert.match(running.stderr, /in use by another Handset process/);
    await installation.stop();
    assert.equal((await shell.handset(['restore', file])).code, 2);
    rmSync(join(media, 'two'));
    const absent = await shell.handset(['restore', file, '--yes', '--media', `${copies}/none`]);
    assert.match(absent.stderr, /--media: there is no folder .*none/);
    const restored = await ran(['restore', file, '--yes', ...withMedia]);
    assert.match(restored, /\nPut 1 missing file of kept media into .*\/media\.\n/);
    assert.equal(readFileSync(join(media, 'two'), 'utf8'), 'two');
    assert.match(await ran(['restore', '--database-was-restored']), /1 linked devices start new sessions/);
    assert.equal((await shell.handset(['restore', file, '--database-was-restored'])).code, 2);
    const database = new DatabaseSync(join(installation.dataDir, 'handset.db'));
    database.exec("insert into kysely_migration values ('9999-future', '2030-01-01')");
    const newer = await shell.handset(['migrate', '--check']);
    assert.equal(newer.code, 1);
    assert.match(newer.stderr, /9999-future/);
    database.exec("delete from kysely_migration where name = '9999-future'");
    database.close();
    const former = readFileSync(join(installation.dataDir, 'secret'), 'utf8');
    assert.match(await ran(['rotate-secret']), /verified all \d+ with the new secret/);
    assert.notEqual(readFileSync(join(installation.dataDir, 'secret'), 'utf8'), former);
    assert.ok(existsSync(file));
    await installation.restart();
    const { users } = (await api(`${installation.handset.url}/admin/v1`, adminToken).get('/users')).body;
    assert.deepEqual(
      users.map(({ name }: { name: string }) => name),
      ['owner', 'acme'],
    );
    const admin = api(`${installation.handset.url}/admin/v1`, adminToken);
    await eventually('the device comes back without a new pairing', async () =>
      (await admin.get('/devices')).body.devices.some((device: { state: string }) => device.state === 'open'),
    );
  });
});

test('without a token, the commands of the operator say what is missing', async () => {
  await using shell = await openShell({ HANDSET_URL: 'http://127.0.0.1:1' });
  for (const args of [['user', 'list'], ['audit'], ['device', 'list', '--all'], ['key', 'list', '--user', 'x']]) {
    const { code, stderr } = await shell.handset(args);
    assert.deepEqual([code, stderr.includes('set HANDSET_ADMIN_TOKEN')], [4, true], args.join(' '));
  }
});
