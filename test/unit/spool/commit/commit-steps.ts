/**
 * What a commit asks of the file system and writes to the ledger (in capitals), in this order, and how it ends. `!` is the
 * call with the fault. Pinned, because a start after a crash relies on the order: "moving" is noted before RENAME is sent,
 * "requeued" before a file is sent again, "committed" last.
 */

/** Without a fault, by what a start finds. */
export const undisturbed: Readonly<Record<string, string>> = {
  sealed: 'create getFileStatus MOVING rename COMMITTED → committed',
  'moving, not renamed': 'getFileStatus getFileStatus target rename COMMITTED → committed',
  'moving, cut': 'getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename COMMITTED → committed',
  'moving, renamed': 'getFileStatus getFileStatus target open target COMMITTED → committed',
  'moving, under both names': 'getFileStatus getFileStatus target open target COMMITTED → committed',
  'moving, gone': 'getFileStatus getFileStatus target → taken',
  'moving, another has its name': 'getFileStatus getFileStatus target open target → NameTaken exists',
  'sealed, another has its name':
    'create getFileStatus MOVING rename getFileStatus getFileStatus target open target → NameTaken exists',
  'sealed, a longer one has its name':
    'create getFileStatus MOVING rename getFileStatus getFileStatus target → NameTaken exists',
  'sealed, its copy is damaged': 'create getFileStatus target → LocalDamage',
  'sealed, its copy is damaged, in its place': 'create getFileStatus target open target COMMITTED → committed',
}

/** By what a start finds; then by the call, its fault, and whether it lasts. */
export const disturbed: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  sealed: {
    'create away once': 'create! → FileSystemError unavailable',
    'create away always': 'create! → FileSystemError unavailable',
    'create not found once': 'create! → FileSystemError not-found',
    'create not found always': 'create! → FileSystemError not-found',
    'create denied once': 'create! → FileSystemError denied',
    'create denied always': 'create! → FileSystemError denied',
    'create lost reply once': 'create! → FileSystemError unavailable',
    'create lost reply always': 'create! → FileSystemError unavailable',
    'create torn once': 'create! → FileSystemError unavailable',
    'create torn always': 'create! → FileSystemError unavailable',
    'create short once': 'create! getFileStatus delete → FileSystemError unavailable',
    'create short always': 'create! getFileStatus delete → FileSystemError unavailable',
    'create cut once': 'create! → FileSystemError unavailable',
    'create cut always': 'create! → FileSystemError unavailable',
    'getFileStatus away once': 'create getFileStatus! → FileSystemError unavailable',
    'getFileStatus away always': 'create getFileStatus! → FileSystemError unavailable',
    'getFileStatus not found once': 'create getFileStatus! → FileSystemError not-found',
    'getFileStatus not found always': 'create getFileStatus! → FileSystemError not-found',
    'getFileStatus denied once': 'create getFileStatus! → FileSystemError denied',
    'getFileStatus denied always': 'create getFileStatus! → FileSystemError denied',
    'getFileStatus lost reply once': 'create getFileStatus! → FileSystemError unavailable',
    'getFileStatus lost reply always': 'create getFileStatus! → FileSystemError unavailable',
    'getFileStatus torn once': 'create getFileStatus! → FileSystemError unavailable',
    'getFileStatus torn always': 'create getFileStatus! → FileSystemError unavailable',
    'getFileStatus short once': 'create getFileStatus! MOVING rename COMMITTED → committed',
    'getFileStatus short always': 'create getFileStatus! MOVING rename COMMITTED → committed',
    'getFileStatus cut once': 'create getFileStatus! → FileSystemError unavailable',
    'getFileStatus cut always': 'create getFileStatus! → FileSystemError unavailable',
    'rename away once':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target rename COMMITTED → committed',
    'rename away always':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target → FileSystemError unavailable',
    'rename not found once':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target rename COMMITTED → committed',
    'rename not found always':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target → FileSystemError not-found',
    'rename denied once':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target → FileSystemError denied',
    'rename denied always':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target → FileSystemError denied',
    'rename lost reply once':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename lost reply always':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename torn once':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename torn always':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename short once': 'create getFileStatus MOVING rename! COMMITTED → committed',
    'rename short always': 'create getFileStatus MOVING rename! COMMITTED → committed',
    'rename cut once':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename COMMITTED → committed',
    'rename cut always':
      'create getFileStatus MOVING rename! getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename! getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename! getFileStatus getFileStatus target REQUEUED → FileSystemError unavailable',
  },
  'moving, not renamed': {
    'getFileStatus away once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus away always': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus not found once': 'getFileStatus! getFileStatus target → taken',
    'getFileStatus not found always': 'getFileStatus! getFileStatus target! → taken',
    'getFileStatus denied once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus denied always': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus lost reply once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus lost reply always': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus torn once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus torn always': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus short once': 'getFileStatus! getFileStatus target rename COMMITTED → committed',
    'getFileStatus short always': 'getFileStatus! getFileStatus target! rename COMMITTED → committed',
    'getFileStatus cut once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus cut always': 'getFileStatus! → FileSystemError unavailable',
    'rename away once':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename COMMITTED → committed',
    'rename away always':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target → FileSystemError unavailable',
    'rename not found once':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename COMMITTED → committed',
    'rename not found always':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target rename! getFileStatus getFileStatus target → FileSystemError not-found',
    'rename denied once':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target → FileSystemError denied',
    'rename denied always':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target → FileSystemError denied',
    'rename lost reply once':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename lost reply always':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename torn once':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename torn always':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target open target COMMITTED → committed',
    'rename short once': 'getFileStatus getFileStatus target rename! COMMITTED → committed',
    'rename short always': 'getFileStatus getFileStatus target rename! COMMITTED → committed',
    'rename cut once':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename COMMITTED → committed',
    'rename cut always':
      'getFileStatus getFileStatus target rename! getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename! getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename! getFileStatus getFileStatus target REQUEUED create getFileStatus MOVING rename! getFileStatus getFileStatus target REQUEUED → FileSystemError unavailable',
  },
  'moving, renamed': {
    'getFileStatus away once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus away always': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus not found once': 'getFileStatus! getFileStatus target open target COMMITTED → committed',
    'getFileStatus not found always': 'getFileStatus! getFileStatus target! → taken',
    'getFileStatus denied once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus denied always': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus lost reply once': 'getFileStatus! getFileStatus target open target COMMITTED → committed',
    'getFileStatus lost reply always': 'getFileStatus! getFileStatus target! → FileSystemError unavailable',
    'getFileStatus torn once': 'getFileStatus! getFileStatus target open target COMMITTED → committed',
    'getFileStatus torn always': 'getFileStatus! getFileStatus target! → FileSystemError unavailable',
    'getFileStatus short once': 'getFileStatus! getFileStatus target open target COMMITTED → committed',
    'getFileStatus short always': 'getFileStatus! getFileStatus target! open target COMMITTED → committed',
    'getFileStatus cut once': 'getFileStatus! → FileSystemError unavailable',
    'getFileStatus cut always': 'getFileStatus! → FileSystemError unavailable',
    'open away once': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
    'open away always': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
    'open not found once': 'getFileStatus getFileStatus target open target! → taken',
    'open not found always': 'getFileStatus getFileStatus target open target! → taken',
    'open denied once': 'getFileStatus getFileStatus target open target! → taken',
    'open denied always': 'getFileStatus getFileStatus target open target! → taken',
    'open lost reply once': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
    'open lost reply always': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
    'open torn once': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
    'open torn always': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
    'open short once': 'getFileStatus getFileStatus target open target! COMMITTED → committed',
    'open short always': 'getFileStatus getFileStatus target open target! COMMITTED → committed',
    'open cut once': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
    'open cut always': 'getFileStatus getFileStatus target open target! → FileSystemError unavailable',
  },
}
