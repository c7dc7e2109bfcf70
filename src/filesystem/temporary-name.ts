import { randomBytes } from 'node:crypto'

/**
 * A name that nobody else has, for what is to become a file. Begins with a dot: Hadoop and the rows of a directory leave
 * it out. Short and of fixed length: a name of 255 bytes has no room for a suffix.
 */
export const temporaryName = (): string => `.sluice-${randomBytes(12).toString('hex')}.tmp`
