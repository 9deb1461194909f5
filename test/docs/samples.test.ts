/** The samples of `/docs`: every operation has all five, each is a program, and those that can run here do what they say. */
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { access, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseAst } from 'rolldown/parseAst';
import { type Document, entriesOf, type OperationEntry } from '../../dashboard/src/reference/document.ts';
import { type Filled, sampleOf, startWith } from '../../dashboard/src/reference/request.ts';
import { type Language, languages } from '../../dashboard/src/reference/samples.ts';
import { ada, addPhones, bob, linkDevice } from '../flows/steps.ts';
import { type Installation, ownerKey, startInstallation } from '../support/installation.ts';

const run = promisify(execFile);
const adminToken = 'operator-of-the-samples-0123456789';
const names = ['curl', 'javascript', 'python', 'php', 'go'] as const;

/** PHP needs its extension for requests, which is a package of its own on most systems. */
const hasCurl = (): boolean => execFileSync('php', ['-m']).toString().split('\n').includes('curl');

const isInstalled = async (program: string): Promise<boolean> => {
  const places = (process.env.PATH ?? '').split(delimiter).map((folder) => access(join(folder, program)));
  const isThere = (await Promise.allSettled(places)).some(({ status }) => status === 'fulfilled');
  return isThere && (program !== 'php' || hasCurl());
};

/** A program for each language, and the name of the file that it takes. */
const runners: Readonly<Record<(typeof names)[number], readonly [program: string, file: string, ...before: string[]]>> =
  {
    curl: ['bash', 'sample.sh'],
    javascript: [process.execPath, 'sample.mjs'],
    python: ['python3', 'sample.py'],
    php: ['php', 'sample.php'],
    go: ['go', 'sample.go', 'run'],
  };

describe('the samples of the API reference', () => {
  let installation: Installation;
  let document: Document;
  let entries: readonly OperationEntry[];
  let folder: string;
  let device: number;
  /** Those that run here: curl, Node and Python always. */
  let runnable: readonly (typeof names)[number][];

  const entryOf = (id: string): OperationEntry => entries.find((entry) => entry.id === id)!;

  const sample = (language: Language, id: string, filled: Partial<Filled> = {}): string => {
    const entry = entryOf(id);
    const request = sampleOf(document, entry, { ...startWith(entry), ...filled }, installation.handset.url);
    return languages[language](request) ?? '';
  };

  /** The output of the program, and its folder. */
  const runSample = async (language: (typeof names)[number], id: string, filled: Partial<Filled> = {}) => {
    const [program, file, ...first] = runners[language];
    const cwd = await mkdtemp(join(folder, 'run-'));
    await writeFile(join(cwd, file), sample(language, id, filled));
    await writeFile(join(cwd, 'document.pdf'), '%PDF-1.7\n%%EOF\n');
    const env = { ...process.env, HANDSET_KEY: ownerKey, HANDSET_ADMIN_TOKEN: adminToken };
    const { stdout } = await run(program, [...first, file], { cwd, env });
    return { stdout, cwd };
  };

  before(async () => {
    installation = await startInstallation({ HANDSET_ADMIN_TOKEN: adminToken });
    folder = await mkdtemp(join(tmpdir(), 'handset-samples-'));
    await addPhones(installation);
    device = await linkDevice(installation, ada);
    document = (await (await fetch(`${installation.handset.url}/openapi.json`)).json()) as Document;
    entries = entriesOf(document).filter((entry) => entry.kind === 'operation');
    const more = await Promise.all(
      (['php', 'go'] as const).map(async (one) => ((await isInstalled(one)) ? [one] : [])),
    );
    runnable = ['curl', 'javascript', 'python', ...more.flat()];
  });
  after(async () => {
    await installation[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  it('every operation has all five, with its address, its method and the right key', () => {
    assert.deepEqual(Object.keys(languages).sort(), ['client', 'handset', ...names].sort());
    assert.ok(entries.length > 120);
    for (const { id, method, path } of entries) {
      const known = path.split('{')[0]!;
      for (const language of names) {
        const text = sample(language, id);
        assert.ok(text.includes(installation.handset.url + known), `${language} ${id}`);
        assert.ok(!/\{\w+\}\/|undefined|\[object|\{\w+\}'/.test(text), `${language} ${id}\n${text}`);
        assert.ok(method === 'GET' || text.includes(method), `${language} ${id}`);
        const key = path.startsWith('/admin/') ? 'HANDSET_ADMIN_TOKEN' : path.startsWith('/v1/') ? 'HANDSET_KEY' : null;
        assert.equal(/HANDSET_\w+/.exec(text)?.[0] ?? null, key, `${language} ${id}`);
      }
    }
  });

  it('each one is a program of its language', async () => {
    const all = (language: Language): readonly string[] => entries.map(({ id }) => sample(language, id));
    for (const text of all('javascript')) assert.doesNotThrow(() => parseAst(text), text);
    execFileSync('bash', ['-n'], { input: all('curl').join('\n') });
    const compile = 'import json, sys\nfor text in json.load(sys.stdin): compile(text, text, "exec")';
    execFileSync('python3', ['-c', compile], { input: JSON.stringify(all('python')) });
    if (runnable.includes('php')) {
      const parse = 'foreach (json_decode(stream_get_contents(STDIN)) as $text) token_get_all($text, TOKEN_PARSE);';
      execFileSync('php', ['-r', parse], { input: JSON.stringify(all('php')) });
    }
    if (runnable.includes('go')) {
      const files = all('go').map(async (text, index) => {
        const file = join(folder, `${index}.go`);
        await writeFile(file, `${text}\n`);
        return file;
      });
      assert.equal(execFileSync('gofmt', ['-l', ...(await Promise.all(files))]).toString(), '');
    }
  });

  it('our client and the command line come first, and do what they say', async () => {
    assert.deepEqual(Object.keys(languages).slice(0, 3), ['client', 'handset', 'python']);
    const samples = entries.map(({ id }) => sample('client', id)).filter((text) => text !== '');
    assert.ok(samples.length > 80);
    for (const text of samples) assert.doesNotThrow(() => parseAst(text), text);
    const filled = { values: { id: String(device) }, body: JSON.stringify({ toNumber: bob, message: "It's $HOME" }) };
    const root = join(import.meta.dirname, '../..');
    const cwd = await mkdtemp(join(folder, 'run-'));
    const client = sample('client', 'sendText', filled).replace(
      "'@handset/client'",
      `'${join(root, 'client/src/index.ts')}'`,
    );
    await writeFile(join(cwd, 'sample.mjs'), client);
    const env = { ...process.env, HANDSET_KEY: ownerKey, HANDSET_URL: installation.handset.url };
    assert.match((await run(process.execPath, ['sample.mjs'], { cwd, env })).stdout, /messageId/);
    const handset = `handset() { ${process.execPath} ${join(root, 'src/cli/handset.ts')} "$@"; }\n`;
    const shell = handset + sample('handset', 'sendText', filled);
    assert.match((await run('bash', ['-c', shell], { cwd, env })).stdout, /[0-9A-F]{16}/);
    assert.equal(sample('handset', 'getOpenApi'), '', 'no command reads the document');
    assert.equal(
      sample('handset', 'listMessages', { values: { id: '1', limit: '5' } }),
      '',
      'an option has a name of its own',
    );
  });

  it('an upload sends the file beside the program', async () => {
    for (const language of runnable) {
      const { stdout } = await runSample(language, 'uploadFile', { values: { id: String(device) } });
      assert.match(stdout, /application\/pdf/, language);
    }
  });

  it('a text arrives letter for letter, whatever is in it', async () => {
    const written = 'It\'s "quoted" \\ `$HOME` \\" ${1} {x}\n\t%20 \u00e9\u{1f44d}';
    const send = { values: { id: String(device), 'Idempotency-Key': 'a "b" \'c\'' } };
    for (const language of runnable) {
      const message = `${language}: ${written}`;
      const values = { ...send.values, 'Idempotency-Key': `${send.values['Idempotency-Key']} ${language}` };
      const { stdout } = await runSample(language, 'sendText', {
        values,
        body: JSON.stringify({ toNumber: bob, message }),
      });
      assert.match(stdout, /messageId/, language);
      const messages = await installation.phones.messages(bob);
      assert.ok(
        messages.some(({ text }) => text === message),
        `${language}: ${JSON.stringify(messages)}`,
      );
    }
  });

  it('reads, changes, deletes, and calls without a key and as the operator', async () => {
    const values = { id: String(device) };
    await Promise.all(
      runnable.map(async (language, index) => {
        const number = `491555000880${index}`;
        const printed = async (id: string, filled: Partial<Filled> = {}): Promise<string> =>
          (await runSample(language, id, filled)).stdout;
        assert.match(await printed('getMe'), /User retrieved|owner/, language);
        assert.match(
          await printed('lookUpNumbers', { values: { ...values, numbers: `${bob},${number}` } }),
          /looked up/,
        );
        assert.match(await printed('createSuppression', { body: JSON.stringify({ number }) }), new RegExp(number));
        assert.match(await printed('deleteSuppression', { values: { number } }), /200/);
        assert.match(await printed('updateSettings', { values, body: '{"online": false}' }), /online/);
        // Nothing within braces: in PHP an empty array would be a list.
        assert.match(await printed('retryFailedDeliveries', { values, body: '{}' }), /200/);
        assert.match(await printed('getLive'), /Live/);
        assert.match(await printed('getMetrics'), /^# HELP/m);
        assert.match(await printed('listUsers'), /owner/);
      }),
    );
  });

  it('saves a file, and prints a stream as it comes', async () => {
    const { body } = await installation.api.post('/devices', { name: 'waits' });
    const { id } = body.device;
    const first = (await installation.api.get(`/devices/${device}/events?limit=1`)).body.events[0].id;
    const values = { id: String(device), 'Last-Event-ID': first };
    await Promise.all(
      runnable.map(async (language) => {
        const { cwd } = await runSample(language, 'getQr', { values: { id: String(id) } });
        const png = await readFile(join(cwd, 'image.png'));
        assert.equal(png.subarray(1, 4).toString(), 'PNG', language);
        const [program, file, ...more] = runners[language];
        await writeFile(join(cwd, file), sample(language, 'listEvents', { values, accept: 'text/event-stream' }));
        const stream = execFile(program, [...more, file], { cwd, env: { ...process.env, HANDSET_KEY: ownerKey } });
        try {
          let printed = '';
          await new Promise<void>((resolve, reject) => {
            stream.once('exit', () => reject(new Error(`${language} ended: ${printed}`)));
            stream.stdout?.on('data', (text: string) => {
              printed += text;
              if (printed.includes('event: connection.open')) resolve();
            });
          });
        } finally {
          stream.removeAllListeners('exit').kill('SIGKILL');
        }
      }),
    );
  });
});
