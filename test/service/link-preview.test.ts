/** Links in texts, and what pages say of themselves. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLink } from '../../src/domain/messages/links.ts';
import { pageFactsIn } from '../../src/service/sending/page-facts.ts';

describe('the first link of a text', () => {
  const links: readonly (readonly [string, string | null])[] = [
    ['See https://example.com/a?b=c#d, and http://other.example', 'https://example.com/a?b=c#d'],
    ['(https://en.wikipedia.org/wiki/Bridge_(music))', 'https://en.wikipedia.org/wiki/Bridge_(music)'],
    ['"HTTP://Example.com/x".', 'HTTP://Example.com/x'],
    ['*https://example.com*', 'https://example.com'],
    ['https://bücher.example/ß', 'https://bücher.example/ß'],
    ['https://', null],
    ['https://[', null],
    ['javascript:alert(1) ftp://example.com file:///etc/passwd', null],
    ['example.com', null],
    [`https://example.com/${'x'.repeat(3_000)}`, null],
  ];
  for (const [text, link] of links) it(text.slice(0, 60), () => assert.equal(firstLink(text), link));
});

describe('facts of a page', () => {
  const factsOf = (html: string | Uint8Array) => pageFactsIn(Buffer.from(html));

  it('Open Graph comes first, and references are resolved', () => {
    const html = `<!doctype html><HTML><head><title>Plain &amp; simple</title>
      <META PROPERTY="og:title" CONTENT="Open &lt;Graph&gt;"><meta name=description content=' of  the
      page '><meta property=og:image content="/a.png?x=1&amp;y=2"></head><body><title>no</title></body>`;
    const facts = { title: 'Open <Graph>', description: 'of the page', picture: '/a.png?x=1&y=2' };
    assert.deepEqual(factsOf(html), facts);
  });

  it('a title is enough; what is no HTML, or says nothing, gives nothing', () => {
    assert.deepEqual(factsOf('<title> A\n page </title>'), { title: 'A page', description: null, picture: null });
    for (const none of [
      '',
      '{"title": "<title>x</title>"}',
      '\x89PNG<title>x</title>',
      '<html><body>x',
      '<title> </title>',
    ])
      assert.equal(factsOf(none), null, none);
    assert.equal(factsOf('<body><title>late</title>'), null);
  });

  it('other encodings are read, and hostile pages are bounded', () => {
    const latin = Buffer.concat([
      Buffer.from('<meta charset=iso-8859-1><title>M'),
      Buffer.from([0xfc]),
      Buffer.from('n</title>'),
    ]);
    assert.equal(factsOf(latin)?.title, 'Mün');
    assert.equal(factsOf('<meta charset=none><title>x</title>')?.title, 'x');
    assert.equal(factsOf(`<title>${'x'.repeat(100_000)}`)?.title?.length, 300);
    assert.equal(factsOf(`<title>${'\u{1f600}'.repeat(500)}`)?.title?.isWellFormed(), true);
    const started = performance.now();
    factsOf(`<title>x</title>${'<meta name="a'.repeat(40_000)}`);
    factsOf('<'.repeat(512_000));
    assert.ok(performance.now() - started < 5_000);
  });
});
