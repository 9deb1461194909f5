/** Takes the time of the process when it is loaded: imported before anything that reads it. */
import { takeTime } from './clock.ts';

takeTime();
