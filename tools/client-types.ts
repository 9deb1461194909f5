/** `npm run client:types`: writes `client/src/schema.ts` from the OpenAPI document. `openapi-typescript` needs a TypeScript of its own. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { schemaFile, typedDocument, withFingerprint } from './client-document.ts';

const generator = ['-p', 'openapi-typescript@7.13.0', '-p', 'typescript@5.9.3'];
const folder = mkdtempSync(join(tmpdir(), 'handset-types-'));
try {
  const [input, output] = [join(folder, 'openapi.json'), join(folder, 'schema.ts')];
  writeFileSync(input, typedDocument());
  execFileSync('npx', ['--yes', ...generator, 'openapi-typescript', input, '-o', output], {
    cwd: folder,
    stdio: 'inherit',
  });
  execFileSync('oxfmt', [output], { stdio: 'inherit' });
  writeFileSync(schemaFile, withFingerprint(readFileSync(output, 'utf8')));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
