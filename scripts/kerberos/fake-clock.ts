import { findProgram } from '../find-program.ts'

/** What is missing to run a program with another time, as a sentence for people; undefined when all is there. */
export const missingForFakeClock = async (): Promise<string | undefined> =>
  (await findProgram('faketime'))
    ? undefined
    : 'no other time: "faketime" (Debian\'s package faketime) is not on the PATH'

/**
 * Variables that let a program and its children see a clock that is `offsetSeconds` ahead (or, below 0, behind). The
 * loader puts Debian's place of libraries for `$LIB`. A program that is killed leaves two small files in `/dev/shm`;
 * one that ends does not.
 */
export const fakeClock = (offsetSeconds: number): Readonly<Record<string, string>> =>
  offsetSeconds === 0
    ? {}
    : {
        LD_PRELOAD: '/usr/$LIB/faketime/libfaketimeMT.so.1',
        FAKETIME: `${offsetSeconds < 0 ? '' : '+'}${offsetSeconds}s`,
        // Timeouts and timers run by the real clock.
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }
