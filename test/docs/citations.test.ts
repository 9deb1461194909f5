/** Comments and messages cite pages of docs/ by file and heading ("docs/spec/devices.md, Grace"): both must exist. */
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const files = globSync('{src,sandbox,test,bench,tools,dashboard,client,extension,examples}/**/*.{ts,tsx,js,mjs,c}', {
  cwd: root,
  exclude: (path) => /node_modules|dist/.test(path),
}).filter((path) => !path.endsWith('citations.test.ts'));

/** Without the line breaks of a comment. */
const flat = (text: string): string => text.replaceAll(/\s*\n\s*(?:\*|\/\/)?\s*/g, ' ');

const headings = new Map<string, readonly string[]>();
const headingsOf = (page: string): readonly string[] => {
  const known = headings.get(page);
  if (known !== undefined) return known;
  const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '');
  const found = [...text.matchAll(/^#+ (?:\d+\. )?(.+)$/gm)].map(([, heading]) => heading!);
  headings.set(page, found);
  return found;
};

/** A page's name, and after it a heading. */
const citation = /\b(docs\/[\w./-]+\.md)(?:(?:, | \()"?([A-Z][^;*]*))?/g;

test('every page and heading that is cited exists', () => {
  const cited = files.flatMap((path) =>
    [...flat(readFileSync(join(root, path), 'utf8')).matchAll(citation)].map(([text, page = '', heading]) => ({
      text: `${path}: ${text.slice(0, 100)}`,
      page,
      heading,
    })),
  );
  assert.ok(cited.length > 100, `${cited.length} citations`);
  const resolves = ({ page, heading }: { page: string; heading: string | undefined }): boolean =>
    existsSync(join(root, page)) &&
    (heading === undefined || headingsOf(page).some((known) => heading.startsWith(known)));
  assert.deepEqual(
    cited.filter((each) => !resolves(each)).map(({ text }) => text),
    [],
  );
});

test('nothing cites pages that are not here', () => {
  const wrong = files.filter((path) =>
    /(?<![\w/-])(?:interface|decisions|beyond|network-facts|network-today)\.md/.test(
      readFileSync(join(root, path), 'utf8'),
    ),
  );
  assert.deepEqual(wrong, []);
});
