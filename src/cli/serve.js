#!/usr/bin/env node
/** `handset start` and `npm start`: runs the service from its bundle if that is current, else from source. */
import { built, rememberCompiled } from './built.js';

rememberCompiled();
await import(built('service') ?? './service.ts');
