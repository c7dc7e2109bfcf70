import type { OfOthers } from '../replica/replica-status.ts'

/** What a collector sees of the others, and has of them. */
export type TakeOverStatus = Omit<OfOthers, 'setAside' | 'returnedEvents' | 'wasFenced'>

/**
 * What is done with a log that was taken:
 *
 *     closing    no other collector can write it any more, and its last blocks are recovered
 *     copying    it comes to this machine
 *     sending    its events go to the file system
 *     removing   all of it is where it belongs
 */
export type TakingStep = 'closing' | 'copying' | 'sending' | 'removing'
