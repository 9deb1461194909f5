/** A real browser for tests: Debian's Chromium, driven by playwright-core. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const executablePath = places.find((path) => existsSync(path));

/** Chromium without a window's toolbar and tabs, which are pages as well: a third of the processor time. It loads no extensions. */
const shell = '/usr/bin/chromium-headless-shell';

/** Why the browser tests cannot run here; false when they can. */
export const skip: string | false =
  executablePath === undefined ? `no browser at ${places.join(' or ')}: apt-get install chromium` : false;

// As `npm test` has done already; a test that is run alone must not see an old dashboard.
if (skip === false) {
  execFileSync(process.execPath, [join(import.meta.dirname, '../../dashboard/build.ts'), '--required']);
}

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // A microphone that beeps, where a test asks for one.
  '--use-fake-device-for-media-stream',
  '--use-fake-ui-for-media-stream',
];

/** The clipboard after the line of a text was selected and copied. */
export const copiedFrom = async (text: Locator): Promise<string> => {
  await text.click({ clickCount: 3 });
  await text.page().keyboard.press('Control+C');
  return text.page().evaluate<string>('navigator.clipboard.readText()');
};

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: existsSync(shell) ? shell : (executablePath ?? ''), args });

/** A browser with an unpacked extension and a profile of its own, to which only this machine exists; `handset.test` is this machine, too. */
export const launchWithExtension = async (
  extension: string,
  profile: string,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> => {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executablePath ?? '',
    channel: 'chromium',
    locale: 'en-GB',
    ...options,
    args: [
      ...args,
      `--disable-extensions-except=${extension}`,
      `--load-extension=${extension}`,
      '--host-resolver-rules=MAP handset.test 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
    ],
  });
  context.setDefaultTimeout(25_000);
  return context;
};

/** The page makes each of its first requests by itself, so that a test can answer one. */
export const withoutSnapshot = (page: Page): Promise<unknown> =>
  page.route('**/session/snapshot?*', (route) => route.fulfill({ json: { answers: {} } }));

/** A page of its own, with what it complained about. */
export const openPage = async (
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<{ readonly page: Page; readonly complaints: string[] }> => {
  const context = await browser.newContext({ locale: 'en-GB', ...options });
  context.setDefaultTimeout(25_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(url);
  return { page, complaints };
};

const axeSource = (): Promise<string> =>
  readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** Problems that axe finds on the page as it is now, best practices included. `of`: the rules to check, usually all. */
export const violationsOn = async (page: Page, of: 'all' | 'colours' = 'all'): Promise<readonly string[]> => {
  if (await page.evaluate<boolean>('typeof axe === "undefined"')) await page.evaluate(await axeSource());
  const found = await page.evaluate<{ violations: AxeViolation[] }>(
    `axe.run(document, { resultTypes: ["violations"]${of === 'all' ? '' : ', runOnly: ["color-contrast", "link-in-text-block"]'} })`,
  );
  return found.violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${help}\n  ${html.slice(0, 200)}\n  ${failureSummary}`),
  );
};
