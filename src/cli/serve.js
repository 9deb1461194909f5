#!/usr/bin/env node
/** `handset start` and `npm start`: the service from its bundle, where that is up to date, else from its sources. */
import { built, rememberCompiled } from './built.js';

rememberCompiled();
await import(built('service') ?? './service.ts');
