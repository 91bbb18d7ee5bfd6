/** @jsxImportSource preact */
import { render } from 'preact';
import { App } from './app';
import './portal.css';
import { texts } from './texts';

document.documentElement.lang = texts.language;
const root = document.getElementById('root');
if (root) render(<App />, root);
