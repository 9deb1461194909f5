#!/usr/bin/env node
/** `npm start`: the service from its bundle, where that is up to date, else from its sources. */
import { enableCompileCache } from 'node:module';
import { builtService, compiledFolder } from './built.ts';

const built = builtService();
// The second start finds everything compiled.
enableCompileCache(built === null ? undefined : compiledFolder);
await import(built ?? './service.ts');
