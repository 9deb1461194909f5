#!/usr/bin/env node
/**
 * `npm start`: the service from its bundle, where that is up to date, else from its sources. JavaScript, for what takes the types out of
 * a first file costs a tenth of the whole start; of all others the compiled form is kept.
 */
import { existsSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

// As in `built.ts`, which is not to be loaded before this.
const builtFolder = join(import.meta.dirname, '..', '..', 'dist');
// The second start finds everything compiled.
enableCompileCache(existsSync(builtFolder) ? join(builtFolder, 'compiled') : undefined);
const { builtService } = await import('./built.ts');
await import(builtService() ?? './service.ts');
