import { join } from 'node:path'

/** Home of the project. */
export const root = join(import.meta.dirname, '../..')
