import { defaultEdgeLimits } from '../../../src/http/limits.ts'
import { silentLogger } from '../../../src/log/log.ts'
import { maxHeaderBytes } from './sides.ts'

/** What a lane has beside its routes and the server behind it. */
export const laneOptions = { limits: { ...defaultEdgeLimits, maxHeaderBytes }, logger: silentLogger }
