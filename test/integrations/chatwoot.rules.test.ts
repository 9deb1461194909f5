/** Rules of the Chatwoot bridge alone: its environment, and how a text reads on the other side. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ConfigError, readConfig } from '../../integrations/chatwoot/src/config.ts';
import { toNetworkText } from '../../integrations/chatwoot/src/content.ts';

it('says which variables are missing or wrong', () => {
  assert.throws(
    () => readConfig({ PORT: 'x', HANDSET_URL: 'ftp://x', HANDSET_WEBHOOK_SECRET: 'x', REOPEN: 'yes' }),
    (error) =>
      error instanceof ConfigError &&
      /PORT must be a whole number/.test(error.message) &&
      /HANDSET_URL must begin with http/.test(error.message) &&
      /HANDSET_KEY is missing/.test(error.message) &&
      /must begin with whsec_/.test(error.message) &&
      /REOPEN must be true or false/.test(error.message) &&
      /CHATWOOT_WEBHOOK_SECRET is missing/.test(error.message),
  );
});

it("Chatwoot's Markdown reads as the network writes it", () => {
  const cases: readonly (readonly [string, string])[] = [
    ['**bold** and *italic* and ~~gone~~', '*bold* and _italic_ and ~gone~'],
    ['[our page](https://example.com)', 'our page (https://example.com)'],
    ['[https://example.com](https://example.com)', 'https://example.com'],
    ['2 * 3 * 4, a\\*b, snake_case', '2 * 3 * 4, a*b, snake_case'],
    ['one\\\ntwo', 'one\ntwo'],
  ];
  for (const [markdown, text] of cases) assert.equal(toNetworkText(markdown), text);
});
