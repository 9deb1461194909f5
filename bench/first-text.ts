/**
 * From the clone to a text on the sandbox's phone, as a newcomer comes there: by the README over HTTP, in the browser alone, in the terminal
 * alone. Prints the steps and the seconds of each (docs/performance.md). `node bench/first-text.ts [--installed DIR]`
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { launch, openPage } from '../test/browser/browser.ts';
import { phonesOf } from '../test/support/phones.ts';

const root = join(import.meta.dirname, '..');
const run = promisify(execFile);
const bob = '4915550002222';

/** As a newcomer has it: the machine's own Node, and nothing of this checkout. */
const cleanEnv = (): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:npm_|HANDSET_|NODE_)/.test(name))),
  PATH: (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((part) => !part.includes('node_modules'))
    .join(delimiter),
});

const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1000;
};

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const place = probe.address();
      probe.close(() => resolve(typeof place === 'object' && place !== null ? place.port : 0));
    });
  });

interface Service {
  readonly url: string;
  readonly key: string;
  readonly controlUrl: string;
  readonly home: string;
  stop(): Promise<void>;
}

const untilBanner = (child: ChildProcess): Promise<string> =>
  new Promise((resolve, reject) => {
    let text = '';
    const take = (chunk: Buffer): void => {
      text += chunk.toString();
      if (text.includes('over HTTP:')) resolve(text);
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    child.once('exit', (code) => reject(new Error(`it ended with ${code}: ${text}`)));
  });

/** `npm start -- --sandbox`, in a data folder of its own. */
const start = async (folder: string): Promise<Service> => {
  const home = await mkdtemp(join(tmpdir(), 'handset-first-'));
  const port = String(await freePort());
  const env = { ...cleanEnv(), HANDSET_PORT: port, HANDSET_DATA_DIR: join(home, 'data'), XDG_CONFIG_HOME: home };
  const child = spawn('npm', ['start', '--', '--sandbox'], { cwd: folder, env, detached: true });
  const banner = await untilBanner(child);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    url: `http://127.0.0.1:${port}`,
    key: /hs_[\w-]{43}/.exec(banner)![0],
    controlUrl: /http:\S+\/sandbox/.exec(banner)![0],
    home,
    async stop() {
      process.kill(-child.pid!, 'SIGINT');
      await ended;
      await rm(home, { recursive: true, force: true });
    },
  };
};

const untilShown = async ({ controlUrl }: Service): Promise<void> => {
  const { messages } = await phonesOf(controlUrl).request<{ messages: readonly { text: string }[] }>(
    'GET',
    `/phones/${bob}/messages?waitMs=30000`,
  );
  if (messages[0]?.text !== 'Hello from Handset') throw new Error(`the phone shows ${JSON.stringify(messages)}`);
};

/** The lines of a marked block of the README, to the one that sends the text. */
const linesOf = async (folder: string, mark: string): Promise<readonly string[]> => {
  const text = await readFile(join(folder, 'README.md'), 'utf8');
  const block = new RegExp(`<!-- ${mark} -->\\n\`\`\`sh\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1] ?? '';
  const lines = block.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.slice(0, lines.findIndex((line) => line.includes('Hello from Handset')) + 1);
};

/** What a newcomer does after the start; how many steps that were. */
type Way = (service: Service, folder: string) => Promise<number>;

const shell = async (service: Service, folder: string, lines: readonly string[]): Promise<number> => {
  const env = { ...cleanEnv(), HANDSET_URL: service.url, XDG_CONFIG_HOME: service.home };
  const script = lines
    .join('\n')
    .replace('hs_…', service.key)
    .replace('http://127.0.0.1:8080', service.url)
    .replace('http://127.0.0.1:4100/sandbox', service.controlUrl)
    // The key is pasted where it is asked for.
    .replace('handset login ', `handset login <<< ${service.key} `);
  await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: folder, env, timeout: 120_000 });
  return lines.length;
};

const byReadme: Way = async (service, folder) => shell(service, folder, await linesOf(folder, 'http'));
const inTerminal: Way = async (service, folder) => shell(service, folder, await linesOf(folder, 'terminal'));

const inBrowser: Way = async ({ url, key }) => {
  const browser = await launch();
  try {
    const { page } = await openPage(browser, url);
    let steps = 1;
    const press = (name: string): Promise<void> => {
      steps += 1;
      return page.getByRole('button', { name, exact: true }).first().click();
    };
    const fill = (label: string, text: string): Promise<void> => {
      steps += 1;
      return page.getByLabel(label, { exact: true }).first().fill(text);
    };
    steps += 1;
    await page.getByRole('textbox', { name: 'API key' }).fill(key);
    await press('Sign in');
    steps += 1;
    await page.getByRole('link', { name: 'New device' }).first().click();
    await press('Create the device');
    await press('Add two phones');
    await press('Scan the QR');
    await page.getByText('Connected and ready to send').waitFor();
    await fill('To', `+${bob}`);
    await fill('Message', 'Hello from Handset');
    await press('Send');
    await page.getByRole('complementary').getByText('Hello from Handset').waitFor();
    return steps;
  } finally {
    await browser.close();
  }
};

const ways: readonly (readonly [string, Way])[] = [
  ['by the README, over HTTP', byReadme],
  ['in the browser alone', inBrowser],
  ['in the terminal alone', inTerminal],
];

const { values } = parseArgs({ options: { installed: { type: 'string' } } });
const scratch = await mkdtemp(join(tmpdir(), 'handset-clone-'));
try {
  let folder = values.installed;
  if (folder === undefined) {
    const clone = join(scratch, 'handset');
    const cloned = await seconds(() => run('git', ['clone', '-q', root, clone]));
    const installed = await seconds(() => run('npm', ['ci'], { cwd: clone, env: cleanEnv(), timeout: 600_000 }));
    process.stdout.write(`git clone ${cloned.toFixed(1)} s, npm ci ${installed.toFixed(1)} s\n`);
    folder = clone;
  }
  for (const [name, way] of ways) {
    let service: Service | undefined;
    const clone = folder;
    const started = await seconds(async () => {
      service = await start(clone);
    });
    const running = service!;
    let steps = 0;
    const took = await seconds(async () => {
      steps = await way(running, clone);
      await untilShown(running);
    });
    process.stdout.write(
      `${name}: ${steps + 1} steps with the start; npm start ${started.toFixed(1)} s, then ${took.toFixed(1)} s to the text\n`,
    );
    await running.stop();
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
