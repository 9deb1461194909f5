/** The proxy of a device stands under the same guard as any other address that people give, and what it connects to as well. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { generate } from 'selfsigned';
import { noProxies, startTinyproxy } from '../support/proxies/real-proxies.ts';
import { failure, names, strict, tripwire } from './outbound.support.ts';

const listening = async (server: Server): Promise<number> => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
};

test('a proxy is stored in one form, and what is no proxy is refused without repeating it', () => {
  const { checkProxy } = strict();
  for (const [given, stored] of [
    ['http://Proxy.Example.com', 'http://proxy.example.com:80'],
    ['https://proxy.example.com/', 'https://proxy.example.com:443'],
    ['socks5://proxy.example.com', 'socks5://proxy.example.com:1080'],
    ['socks5h://u:p%40s%2Fs@Proxy.example.com:9050', 'socks5://u:p%40s%2Fs@proxy.example.com:9050'],
    ['http://user@203.0.114.7:3128', 'http://user:@203.0.114.7:3128'],
    ['socks5://[2606:4700::1111]:1080', 'socks5://[2606:4700::1111]:1080'],
  ] as const) {
    assert.equal(checkProxy(given), stored);
    assert.equal(checkProxy(stored), stored, 'it is the same when it is read again');
  }
  for (const [given, message] of [
    ['proxy.example.com:3128', 'proxy must begin with http://, https://, socks5:// or socks5h://'],
    ['s3cret', 'proxy must be a URL such as http://user:password@host:3128 or socks5://host:1080'],
    ['socks4://u:s3cret@proxy.example.com', 'proxy must begin with http://, https://, socks5:// or socks5h://'],
    ['http://u:s3cret@proxy.example.com/path', 'proxy must end after its host and port'],
    ['http://proxy.example.com?s3cret', 'proxy must end after its host and port'],
    ['socks5://u:s3cret@', 'proxy must be a URL such as http://user:password@host:3128 or socks5://host:1080'],
    ['socks5://:s3cret@proxy.example.com', 'proxy must have a user name where it has a password'],
    ['http://a%3As3cret:b@proxy.example.com', 'proxy must not have a colon in its user name'],
    ['http://u:s3cret%@proxy.example.com', 'proxy must have % in its user name or password written as %25'],
    ['http://u:s3cret%0Ax@proxy.example.com', 'proxy must not have control characters in its user name or password'],
    [
      `http://u:${'s'.repeat(256)}@proxy.example.com`,
      'proxy must have a user name and a password of at most 255 bytes each',
    ],
    ['http://u:s3cret@127.0.0.1:3128', 'proxy must not point to a private or reserved address'],
    ['socks5://u:s3cret@0x7f.1:1080', 'proxy must not point to a private or reserved address'],
    ['socks5://[::ffff:10.0.0.1]:1080', 'proxy must not point to a private or reserved address'],
    ['http://169.254.169.254:3128', 'proxy must not point to a private or reserved address'],
    ['socks5://LOCALHOST:1080', 'proxy must not point to a local host'],
    ['http://u:s3cret@proxy.example.com:25', 'proxy must use port 80, 443 or one from 1024 to 65535'],
  ] as const) {
    assert.throws(() => checkProxy(given), { name: 'InvalidRequest', message }, given);
  }
});

test('a proxy whose name leads inside is not connected to', async () => {
  await using wire = await tripwire();
  const outbound = strict({ resolve: names({ 'inside.example.com': ['203.0.114.7', '127.0.0.1'] }) });
  for (const scheme of ['http', 'https', 'socks5']) {
    const tunnel = outbound.tunnel(`${scheme}://u:s3cret@inside.example.com:${wire.port}`);
    const error = await failure(tunnel('web.whatsapp.com', 443));
    assert.equal(error.message, 'the proxy has a private or reserved address');
    assert.ok(!inspect(error, { showHidden: true, depth: 9 }).includes('s3cret'));
  }
  // Set while it was allowed.
  const former = await failure(outbound.tunnel(`http://127.0.0.1:${wire.port}`)('web.whatsapp.com', 443));
  assert.equal(former.message, 'the proxy must not point to a private or reserved address');
  assert.equal(wire.touched, 0);
});

test('a proxy that the operator allows is no way inside', async () => {
  await using wire = await tripwire();
  const outbound = strict({ allowList: ['127.0.0.1'] });
  for (const scheme of ['http', 'https', 'socks5']) {
    const tunnel = outbound.tunnel(`${scheme}://127.0.0.1:${wire.port}`);
    for (const host of ['10.0.0.1', '::1', '[::1]', '169.254.169.254', 'localhost', 'db.internal']) {
      const error = await failure(tunnel(host, 443));
      assert.match(error.message, /private or reserved address, which is not reached through a proxy/);
    }
  }
  assert.equal(wire.touched, 0);
});

test('what is no proxy is told from a proxy', async () => {
  const web = createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'));
  const port = await listening(web);
  const outbound = strict({ allowList: ['127.0.0.1'] });
  const words = async (scheme: string) =>
    (await failure(outbound.tunnel(`${scheme}://127.0.0.1:${port}`)('web.whatsapp.com', 443))).message;
  assert.equal(await words('http'), 'the proxy answers 400 and does not connect to the network');
  assert.equal(await words('https'), 'the proxy cannot be reached: the TLS handshake failed');
  assert.equal(await words('socks5'), 'the proxy does not speak SOCKS5');
  const mail = createServer((socket) => void socket.end('220 mail.example.com ESMTP\r\n'));
  const other = outbound.tunnel(`http://127.0.0.1:${await listening(mail)}`);
  assert.equal((await failure(other('web.whatsapp.com', 443))).message, 'the proxy does not speak HTTP');
  const mute = createServer((socket) => void socket.once('data', () => socket.destroy()));
  const mutePort = await listening(mute);
  for (const scheme of ['http', 'socks5']) {
    const error = await failure(outbound.tunnel(`${scheme}://127.0.0.1:${mutePort}`)('web.whatsapp.com', 443));
    assert.equal(error.message, 'the proxy closes the connection without an answer');
  }
  // As an HTTP proxy, which waits for the end of the line. 15 s are for a proxy that is on its way to the network.
  const http = createServer((socket) => void socket.on('error', () => socket.destroy()).resume());
  const began = performance.now();
  const silent = await failure(outbound.tunnel(`socks5://127.0.0.1:${await listening(http)}`)('web.whatsapp.com', 443));
  assert.equal(silent.message, 'the proxy does not answer as SOCKS5 does');
  assert.ok(performance.now() - began < 10_000);
  for (const server of [web, mail, mute, http]) server.close();
});

test('a proxy that is spoken to by TLS', { skip: noProxies }, async () => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'proxy.example.com' }], {
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'proxy.example.com' }] }],
  });
  await using proxy = await startTinyproxy({ user: 'carol', password: 's3cret' });
  const front = createTlsServer({ key, cert }, (socket) => {
    const behind = connect(proxy.port, '127.0.0.1');
    socket.on('error', () => behind.destroy()).pipe(behind);
    behind.on('error', () => socket.destroy()).pipe(socket);
  });
  const port = await listening(front);
  const far = createServer((socket) => void socket.pipe(socket));
  const farPort = await listening(far);
  const resolve = names({ 'proxy.example.com': ['127.0.0.1'] });
  const url = `https://carol:s3cret@proxy.example.com:${port}`;
  const stranger = strict({ allowPrivateUrls: true, resolve });
  const untrusted = await failure(stranger.tunnel(url)('127.0.0.1', farPort));
  assert.equal(untrusted.message, 'the proxy cannot be reached: the TLS certificate is self-signed');
  const socket = await strict({ allowPrivateUrls: true, resolve, ca: cert }).tunnel(url)('127.0.0.1', farPort);
  socket.write('there and back');
  const [echo] = await once(socket, 'data');
  assert.equal(String(echo), 'there and back');
  assert.equal(proxy.connections(), 1);
  socket.destroy();
  front.close();
  far.close();
});
