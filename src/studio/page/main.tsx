import { render } from 'preact';
import { App } from './app.tsx';
import { connect } from './server.ts';

connect();
render(<App />, document.querySelector('#page')!);
