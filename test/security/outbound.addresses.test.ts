/** Hostile URLs: each is refused at check, at post and at download, and no packet reaches a listener on loopback. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { failure, names, strict, tripwire } from './outbound.support.ts';

/** `PORT` is the listener's. */
const refusedAtOnce: readonly string[] = [
  // Loopback, in all notations that a URL knows
  'http://127.0.0.1:PORT/',
  'https://127.0.0.1:PORT/',
  'http://127.1:PORT/',
  'http://127.0.1:PORT/',
  'http://127.255.255.254:PORT/',
  'http://2130706433:PORT/',
  'http://0x7f000001:PORT/',
  'http://0x7f.0x0.0x0.0x1:PORT/',
  'http://0x7f.1:PORT/',
  'http://0177.0.0.1:PORT/',
  'http://0177.0000.0000.0001:PORT/',
  'http://017700000001:PORT/',
  'http://127.0.0.1.:PORT/',
  'http://127%2E0%2E0%2E1:PORT/',
  'http://%31%32%37.0.0.1:PORT/',
  'http://127。0。0。1:PORT/',
  'http://①②⑦.0.0.1:PORT/',
  'http://１２７.0.0.1:PORT/',
  'http:\\\\127.0.0.1:PORT\\',
  'http:127.0.0.1:PORT/',
  ' http://127.0.0.1:PORT/ ',
  'ht\ntp://127.0.\t0.1:PORT/',
  'http://[::1]:PORT/',
  'http://[0:0:0:0:0:0:0:1]:PORT/',
  'http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/',
  // Unspecified: on many systems this machine
  'http://0.0.0.0:PORT/',
  'http://0:PORT/',
  'http://0.1.2.3:PORT/',
  'http://[::]:PORT/',
  // IPv4 inside IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo, ISATAP-like
  'http://[::ffff:127.0.0.1]:PORT/',
  'http://[::ffff:7f00:1]:PORT/',
  'http://[::ffff:10.0.0.1]:PORT/',
  'http://[::127.0.0.1]:PORT/',
  'http://[::ffff:0:127.0.0.1]:PORT/',
  'http://[64:ff9b::7f00:1]:PORT/',
  'http://[64:ff9b::10.0.0.1]:PORT/',
  'http://[64:ff9b:1::7f00:1]:PORT/',
  'http://[2002:7f00:1::]:PORT/',
  'http://[2002:a00:1::1]:PORT/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]:PORT/',
  // Private, shared and link-local
  'http://10.0.0.1:PORT/',
  'http://10.255.255.255:PORT/',
  'http://172.16.0.1:PORT/',
  'http://172.31.255.255:PORT/',
  'http://192.168.1.1:PORT/',
  'http://100.64.0.1:PORT/',
  'http://100.127.255.255:PORT/',
  'http://169.254.0.1:PORT/',
  'http://[fe80::1]:PORT/',
  'http://[febf::1]:PORT/',
  'http://[fec0::1]:PORT/',
  'http://[fc00::1]:PORT/',
  'http://[fd12:3456:789a::1]:PORT/',
  // Instance metadata
  'http://169.254.169.254/latest/meta-data/',
  'http://2852039166/latest/meta-data/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://[::ffff:169.254.169.254]/',
  'http://[fd00:ec2::254]/',
  'http://169.254.170.2/v2/credentials',
  'http://100.100.100.200/',
  'http://192.0.0.192/',
  'http://168.63.129.16/',
  'http://metadata.google.internal/',
  // Reserved, documentation, benchmarking, multicast, broadcast
  'http://192.0.0.1:PORT/',
  'http://192.0.2.1:PORT/',
  'http://198.51.100.1:PORT/',
  'http://203.0.113.1:PORT/',
  'http://192.88.99.1:PORT/',
  'http://198.18.0.1:PORT/',
  'http://198.19.255.255:PORT/',
  'http://224.0.0.1:PORT/',
  'http://239.255.255.250:PORT/',
  'http://240.0.0.1:PORT/',
  'http://255.255.255.255:PORT/',
  'http://[2001:db8::1]:PORT/',
  'http://[3fff::1]:PORT/',
  'http://[2001:2::1]:PORT/',
  'http://[2001:10::1]:PORT/',
  'http://[100::1]:PORT/',
  'http://[ff02::1]:PORT/',
  'http://[4000::1]:PORT/',
  // Names that are local by their form
  'http://localhost:PORT/',
  'http://LOCALHOST:PORT/',
  'http://localhost.:PORT/',
  'http://ｌocalhost:PORT/',
  'http://app.localhost:PORT/',
  'http://localhost.localdomain:PORT/',
  'http://printer.local:PORT/',
  'http://db.internal:PORT/',
  'http://router.lan:PORT/',
  'http://nas.home.arpa:PORT/',
  'http://intranet:PORT/',
  // Other schemes, ports and forms
  'ftp://127.0.0.1:PORT/',
  'file:///etc/passwd',
  'gopher://127.0.0.1:PORT/_x',
  'data:image/png;base64,AAAA',
  'javascript:alert(1)',
  'ws://127.0.0.1:PORT/',
  'unix:/var/run/docker.sock',
  '//127.0.0.1:PORT/',
  '/etc/passwd',
  '',
  'http://',
  'http://user:pass@example.com/',
  'http://example.com@127.0.0.1:PORT/',
  'http://127.0.0.1:PORT@example.com/',
  'http://example.com:22/',
  'http://example.com:25/',
  'http://example.com:0/',
  'http://example.com:99999/',
  'http://[fe80::1%25eth0]:PORT/',
  `http://example.com/${'a'.repeat(2048)}`,
];

test('there are many of them, and none twice', () => {
  assert.ok(refusedAtOnce.length >= 60);
  assert.equal(new Set(refusedAtOnce).size, refusedAtOnce.length);
});

test('each hostile URL is refused by check, post and download, without a packet', async () => {
  await using wire = await tripwire();
  const outbound = strict({ resolve: () => Promise.reject(new Error('a name was looked up')) });
  for (const template of refusedAtOnce) {
    const url = template.replaceAll('PORT', String(wire.port));
    const checked = await failure(outbound.check(url, 'webhookUrl'));
    assert.equal(checked.name, 'InvalidRequest', url);
    assert.match(checked.message, /^webhookUrl must /, url);
    const posted = await failure(outbound.post(url, { headers: {}, body: '{}', timeoutMs: 2000 }));
    assert.match(posted.message, /^webhookUrl must /, url);
    const loaded = await failure(outbound.download(url, { maxBytes: 100, timeoutMs: 2000 }));
    assert.equal(loaded.name, 'InvalidRequest', url);
    assert.match(loaded.message, /^mediaUrl must /, url);
  }
  assert.equal(wire.touched, 0);
  await outbound.close();
});

test('public URLs pass the check, and nothing is looked up for it', async () => {
  const outbound = strict({ resolve: () => Promise.reject(new Error('a name was looked up')) });
  for (const url of [
    'http://example.com/',
    'https://example.com/hook?a=1',
    'https://example.com:8443/',
    'http://8.8.8.8/',
    'http://[2606:4700:4700::1111]/',
    'http://[64:ff9b::808:808]/',
    'https://hooks.example.co.uk:1024/',
    'https://bücher.example/',
    'https://local.example.com/',
    'https://localhost.example.com/',
  ]) {
    await outbound.check(url, 'webhookUrl');
  }
  await outbound.close();
});

const privateAnswers: readonly string[] = [
  '127.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '192.168.0.10',
  '172.20.0.2',
  '100.64.1.1',
  '169.254.169.254',
  '168.63.129.16',
  '198.18.0.1',
  '224.0.0.1',
  '::1',
  '::',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fe80::1',
  'fd00:ec2::254',
  'fe80::1%lo',
];

test('a public name with a private address is refused at connect time, without a packet', async () => {
  await using wire = await tripwire();
  for (const address of privateAnswers) {
    const outbound = strict({
      resolve: names({ 'evil.example.com': [address], 'both.example.com': ['8.8.8.8', address] }),
    });
    for (const host of ['evil.example.com', 'both.example.com']) {
      const url = `http://${host}:${wire.port}/`;
      const posted = await failure(outbound.post(url, { headers: {}, body: '{}', timeoutMs: 2000 }));
      assert.equal(posted.message, 'the host has a private or reserved address', address);
      const loaded = await failure(outbound.download(url, { maxBytes: 100, timeoutMs: 2000 }));
      assert.equal(
        loaded.message,
        'mediaUrl cannot be downloaded: the host has a private or reserved address',
        address,
      );
      assert.ok(!loaded.message.includes(address));
    }
    await outbound.close();
  }
  assert.equal(wire.touched, 0);
});
