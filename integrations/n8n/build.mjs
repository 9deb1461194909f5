/** Copies what the compiler does not: icons, and the files that tell n8n in which category a node is shown. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('.', import.meta.url));
const dist = process.argv[2] ?? join(folder, 'dist');
const names = ['Handset', 'HandsetTrigger'];
for (const path of ['icons', ...names.map((name) => `nodes/${name}/${name}.node.json`)])
  cpSync(join(folder, path), join(dist, path), { recursive: true });
