/** `/docs` works offline: one page, nothing of another host (docs/spec/http-interface.md, Endpoints). */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { api } from '../support/api.ts';
import { withHttp } from './harness.ts';

test(
  'the page needs no key, no other host, and its policy allows its own script and style alone',
  withHttp(async (http) => {
    const { status, headers, body } = await api(http.url, null).get('/docs');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.doesNotMatch(body, /https?:\/\//);
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    for (const [, tag, text] of body.matchAll(/<(script|style)[^>]*>([\s\S]*?)<\/\1>/g)) {
      const hash = createHash('sha256').update(text).digest('base64');
      assert.ok(policy.includes(`${tag}-src 'sha256-${hash}'`), tag);
    }
    const script = /<script[^>]*>([\s\S]*?)<\/script>/.exec(body)?.[1] ?? '';
    assert.ok(script.length > 1000);
    assert.doesNotThrow(() => new Script(script));
  }),
);
