/** `npm run build`: makes `dist/`. */
import { buildDist } from './release/dist.ts'

await buildDist('dist')
