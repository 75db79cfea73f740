# SPDX-License-Identifier: GPL-2.0
"""Drives a headless Chromium over a pipe, by its DevTools protocol, to test pages."""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ('chromium', 'chromium-browser', 'google-chrome')
OPTIONS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
           '--disable-extensions', '--disable-background-networking', '--disable-sync',
           '--remote-debugging-pipe', '--hide-scrollbars', '--mute-audio')
# In seconds: as long as the runner waits for a stage that does nothing. Answers come much sooner.
TIMEOUT = 600


def find():
    """The path of the browser; None: there is none."""
    return next((found for found in map(shutil.which, PROGRAMS) if found), None)


class Browser:
    """One page in a browser of its own, which ends with the `with` block."""

    def __init__(self, width=1280, height=800, dark=False):
        self.size, self.dark = (width, height), dark
        self.errors, self.requests, self.number = [], [], 0

    def __enter__(self):
        # pylint: disable=consider-using-with
        self.folder = tempfile.TemporaryDirectory()
        to_browser, self.write_fd = os.pipe()
        self.read_fd, from_browser = os.pipe()

        def prepare():
            # Above 4 first: the numbers 3 and 4 may be taken by these very pipes.
            first, second = os.dup2(to_browser, 100), os.dup2(from_browser, 101)
            os.dup2(first, 3)
            os.dup2(second, 4)
        self.process = subprocess.Popen(
            [find(), *OPTIONS, f'--user-data-dir={self.folder.name}', 'about:blank'],
            preexec_fn=prepare, pass_fds=(3, 4), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.stream = os.fdopen(self.read_fd, 'rb')
        self.buffer = b''
        self.session = None
        target = next(t['targetId'] for t in self.call('Target.getTargets')['targetInfos']
                      if t['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Network', 'Log'):
            self.call(f'{domain}.enable')
        self.set_size(*self.size)
        self.set_dark(self.dark)
        return self

    def __exit__(self, *_):
        os.close(self.write_fd)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.stream.close()
        try:
            self.folder.cleanup()
        except OSError:
            pass    # a late process of the browser still writes there

    def message(self):
        while b'\0' not in self.buffer:
            more = os.read(self.read_fd, 1 << 20)
            if not more:
                raise RuntimeError('the browser has ended')
            self.buffer += more
        text, _, self.buffer = self.buffer.partition(b'\0')
        return json.loads(text)

    def take(self, message):
        """Remember the contents of an event."""
        name, values = message.get('method'), message.get('params', {})
        if name == 'Runtime.exceptionThrown':
            details = values['exceptionDetails']
            self.errors.append(details.get('exception', {}).get('description', details['text']))
        elif name == 'Log.entryAdded' and values['entry']['level'] == 'error':
            self.errors.append(values['entry']['text'])
        elif name == 'Network.requestWillBeSent':
            self.requests.append(values['request']['url'])

    def call(self, method, **values):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': values}
        if self.session:
            message['sessionId'] = self.session
        os.write(self.write_fd, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.message()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]["message"]}')
                return answer['result']
            self.take(answer)

    def set_size(self, width, height):
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    def set_dark(self, dark):
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])

    def open(self, path):
        self.call('Page.navigate', url=f'file://{path}')
        self.wait('document.readyState === "complete"')

    def run(self, script):
        """The value of an expression."""
        result = self.call('Runtime.evaluate', expression=script, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in result:
            details = result['exceptionDetails']
            raise RuntimeError(details.get('exception', {}).get('description', details['text']))
        return result['result'].get('value')

    def wait(self, script):
        end = time.monotonic() + TIMEOUT
        while not self.run(script):
            if time.monotonic() > end:
                raise RuntimeError(f'this never became true: {script}')
            time.sleep(0.02)

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, x, y, button='left'):
        self.mouse('mouseMoved', x, y)
        for kind in ('mousePressed', 'mouseReleased'):
            self.mouse(kind, x, y, button=button, clickCount=1)

    def drag(self, x, y, to_x, to_y):
        self.mouse('mousePressed', x, y, button='left', clickCount=1)
        self.mouse('mouseMoved', (x + to_x) / 2, (y + to_y) / 2, button='left')
        self.mouse('mouseMoved', to_x, to_y, button='left')
        self.mouse('mouseReleased', to_x, to_y, button='left', clickCount=1)

    def press(self, key, text=''):
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, text=text)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key)

    def picture(self, path):
        data = self.call('Page.captureScreenshot', format='png')['data']
        with open(path, 'wb') as f:
            f.write(base64.b64decode(data))
