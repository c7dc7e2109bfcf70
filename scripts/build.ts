/** `npm run build`: makes `dist/`, and the packages of the clients in it. */
import { buildClientPackages } from './release/client-packages.ts'
import { buildDist } from './release/dist.ts'

await buildDist('dist')
await buildClientPackages('dist', 'dist/packages')
