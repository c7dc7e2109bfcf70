import { ParquetMemory } from '../../formats/parquet/file-writer.ts'
import { HeldBlocks } from './held-blocks.ts'

/** What all Parquet files of a segment share: memory in which their rows wait, and are written. */
export class SealMemory extends ParquetMemory {
  readonly rows = new HeldBlocks()
}
