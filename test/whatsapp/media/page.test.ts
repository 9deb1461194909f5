/** Links in texts, and what pages say of themselves. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { firstLink } from '../../../src/domain/messages/links.ts';
import { pageFactsIn } from '../../../src/whatsapp/media/page.ts';

/** CPU time of this process in ms. */
const cpuOf = (run: () => unknown): number => {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
};

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
    ['(see https://example.com/a_(b)!))', 'https://example.com/a_(b)'],
    ['[https://example.com/{x}]}', 'https://example.com/{x}'],
  ];
  for (const [text, link] of links) it(text.slice(0, 60), () => assert.equal(firstLink(text), link));

  it('takes no longer for 65,000 marks behind it', () => {
    for (const mark of [')', ']', '}', '(', '.', 'http://', ')(', '\u0315']) {
      const text = `http://x.co/${mark.repeat(65_000)}`.slice(0, 65_536);
      assert.ok(cpuOf(() => firstLink(text)) < 100, mark);
    }
  });
});

describe('facts of a page', () => {
  const factsOf = (html: string | Uint8Array, contentType: string | null = 'text/html') =>
    pageFactsIn(Buffer.from(html), contentType);

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

  it('ends with the head', () => {
    assert.equal(factsOf('<head></head><title>late</title>'), null);
    const html = '<head><title>A</title></head><meta property=og:title content=B>';
    assert.equal(factsOf(html)?.title, 'A');
  });

  it('is read in the encoding that the header or the page names', () => {
    const latin = (before: string) =>
      Buffer.concat([Buffer.from(`${before}<title>M`), Buffer.from([0xfc]), Buffer.from('n</title>')]);
    const named = '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">';
    assert.equal(factsOf(latin('<meta charset=iso-8859-1>'))?.title, 'Mün');
    assert.equal(factsOf(latin(named))?.title, 'Mün');
    assert.equal(factsOf(latin(''), 'text/html; charset="ISO-8859-1"')?.title, 'Mün');
    assert.equal(factsOf(latin(''))?.title, 'Mün', 'nobody names one');
    const moscow = Buffer.from([0xcc, 0xee, 0xf1, 0xea, 0xe2, 0xe0]);
    const russian = Buffer.concat([Buffer.from('<meta charset=utf-8><title>'), moscow, Buffer.from('</title>')]);
    assert.equal(factsOf(russian, 'text/html;charset=windows-1251')?.title, 'Москва', 'the header comes first');
    const japanese = Buffer.concat([
      Buffer.from('<title>'),
      Buffer.from([0x93, 0xfa, 0x96, 0x7b]),
      Buffer.from('</title>'),
    ]);
    assert.equal(factsOf(japanese, 'text/html; charset=Shift_JIS')?.title, '日本');
    const wide = Buffer.from('\ufeff<title>Zoë</title>', 'utf16le');
    assert.equal(factsOf(wide, 'text/html; charset=utf-8')?.title, 'Zoë', 'a byte order mark comes before all');
    assert.equal(factsOf('<meta charset=none><title>Zoë</title>', 'text/html; charset=wrong')?.title, 'Zoë');
    assert.equal(factsOf('<meta charset=utf-16><title>Zoë</title>')?.title, 'Zoë');
    assert.equal(factsOf('<title>Zoë</title>', 'text/html; charset=x; charset=utf-8')?.title, 'Zoë');
  });

  it('has no replacement character', () => {
    const cut = Buffer.concat([Buffer.from('<title>Gemüse und Obs'), Buffer.from([0xc3]), Buffer.from('</title>')]);
    assert.equal(factsOf(cut)?.title, 'Gemüse und Obs');
    assert.equal(factsOf(cut, 'text/html; charset=utf-8')?.title, 'Gemüse und Obs');
    assert.equal(factsOf('<title>a&#xFFFD;b\ufffd&#xD800;</title>')?.title, 'ab');
    const { title, description } = factsOf(
      `<title>${'x'.repeat(299)}\u{1f600}</title><meta name=description content="${'y'.repeat(999)}\u{1f600}">`,
    )!;
    assert.deepEqual([title, description], ['x'.repeat(299), 'y'.repeat(999)]);
    for (const bytes of [[0xff], [0x80, 0x81], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]]) {
      for (const label of ['utf-8', 'shift_jis', 'euc-kr', 'big5', 'gbk', 'utf-16']) {
        const html = Buffer.concat([Buffer.from('<title>a'), Buffer.from(bytes), Buffer.from('</title>')]);
        assert.equal(factsOf(html, `text/html; charset=${label}`)?.title?.includes('\ufffd') ?? false, false);
      }
    }
  });

  it('is bounded for hostile pages', () => {
    assert.equal(factsOf(`<title>${'x'.repeat(100_000)}`)?.title?.length, 300);
    assert.equal(factsOf(`<title>${'\u{1f600}'.repeat(500)}`)?.title?.isWellFormed(), true);
    const hostile = [
      '<b>',
      '</b>',
      '<',
      '<!--',
      '<a b=',
      '&',
      '&#',
      '<p><table>',
      '<meta name="a',
      '<title>',
      '<svg><title>',
      ' ',
      '\0',
    ];
    for (const piece of hostile) {
      const html = `<title>x</title>${piece.repeat(Math.ceil(504_000 / piece.length))}`;
      const took = cpuOf(() => assert.equal(factsOf(html)?.title, 'x', piece));
      assert.ok(took < 500, `${piece}: ${took} ms`);
    }
    const value = `<title>x</title><meta property=og:title content="${'&amp;'.repeat(100_000)}">`;
    assert.ok(cpuOf(() => assert.equal(factsOf(value)?.title, '&'.repeat(300))) < 500);
  });
});
