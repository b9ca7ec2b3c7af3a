// These parts of undici are imported by their own paths, because loading all of undici takes 45 ms and loading these
// takes 17 ms.

declare module 'undici/lib/api/api-connect.js' {
  import { Dispatcher } from 'undici';

  const connect: Dispatcher['connect'];
  export default connect;
}

declare module 'undici/lib/dispatcher/dispatcher.js' {
  import { Dispatcher } from 'undici';
  export default Dispatcher;
}

declare module 'undici/lib/dispatcher/agent.js' {
  import { Agent } from 'undici';
  export default Agent;
}

declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}
