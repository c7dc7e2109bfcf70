/** `node test/bench/compaction/merge.ts DATA`: makes a pass over the tables of a data directory; prints `disturbing` once it has begun. */
import { startPass } from './pass.ts'

const { done } = startPass(process.argv[2] ?? '')
console.log('disturbing')
await done
throw new Error('There was less to merge than the load lasted')
