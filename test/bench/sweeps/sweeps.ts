import { directorySweep } from './directory-size.ts'
import { eventTypesSweep } from './event-types.ts'
import { fileSweep } from './file-size.ts'
import { batchSweep, connectionsSweep, eventSizeSweep } from './intake.ts'
import type { Sweep } from './sweep.ts'

/** All sweeps, in the order of the page. */
export const sweeps: readonly Sweep[] = [
  connectionsSweep,
  eventSizeSweep,
  batchSweep,
  eventTypesSweep,
  directorySweep,
  fileSweep,
]
