using System;
using System.Threading;
using System.Threading.Tasks;

namespace LicenseKey
{
    /// <summary>
    /// The license of this device. Create one client for each product in a process; several threads may use it. A method whose name ends
    /// in <c>Async</c> runs the method without <c>Async</c> in a thread of the thread pool. If its cancellation is requested, the task is
    /// canceled at once; work that has started continues in the background, so that a seat that was just taken isn't lost.
    /// </summary>
    /// <remarks>
    /// No method throws because of the network, the storage or the input of a user: these are in the result. A method throws an
    /// <see cref="ArgumentNullException"/> for a null instead of a required text, and an <see cref="ObjectDisposedException"/> after
    /// <see cref="Dispose"/>.
    /// </remarks>
    public sealed class LicenseClient : IDisposable, IAsyncDisposable
    {
        /// <summary>How often the client looks for a change while <see cref="StateChanged"/> has handlers. This costs almost nothing, because
        /// <see cref="Changes"/> only reads a number. The C library calls no functions of the app, so it can't report a change.</summary>
        private static readonly TimeSpan PollInterval = TimeSpan.FromMilliseconds(200);

        private readonly ClientHandle client;
        private readonly SynchronizationContext? context = SynchronizationContext.Current;
        private readonly object gate = new object();
        private EventHandler<LicenseState>? handlers;
        private Timer? timer;
        private ulong seen;

        /// <exception cref="ArgumentException">An option is invalid; the message has the option's name of docs/clients/c.md.</exception>
        /// <exception cref="DllNotFoundException">The native library is not installed next to the app.</exception>
        public LicenseClient(LicenseOptions options)
        {
            if (options == null) throw new ArgumentNullException(nameof(options));
            var opened = Native.lks_open(Native.Utf8(options.ToJson()), out var error);
            var problem = Native.Take(error);
            if (opened == IntPtr.Zero) throw new ArgumentException(problem ?? "The library failed.", nameof(options));
            client = new ClientHandle(opened);
        }

        /// <summary>
        /// Raised with the new state within about 200 ms after the state has changed, also if a check in the background has changed it. If the
        /// client was created in a thread with a <see cref="SynchronizationContext"/>, such as the UI thread of an app, the handlers run
        /// there; otherwise in a thread of the thread pool. A client that has handlers is not garbage collected until it is disposed.
        /// </summary>
        public event EventHandler<LicenseState> StateChanged
        {
            add
            {
                lock (gate)
                {
                    if (timer == null)
                    {
                        seen = Changes;
                        timer = new Timer(_ => Poll(), null, PollInterval, Timeout.InfiniteTimeSpan);
                    }
                    handlers += value;
                }
            }

            remove
            {
                lock (gate)
                {
                    handlers -= value;
                    if (handlers == null) StopPolling();
                }
            }
        }

        /// <summary>The version of the native library.</summary>
        public static string Version => Native.Read(Native.lks_version()) ?? "";

        /// <summary>Whether the app may be used now. Never waits.</summary>
        public bool IsLicensed => Native.lks_is_licensed(client);

        /// <summary>A counter that increases whenever the state changes. Never waits.</summary>
        public ulong Changes => Native.lks_changes(client);

        /// <summary>The newest state; null before the first state. Never waits for a request.</summary>
        public LicenseState? State
        {
            get
            {
                var json = Text(Native.lks_state_json(client));
                return json == "null" ? null : (LicenseState)Result.Parse(json);
            }
        }

        /// <summary>Whether the app may be used now and the license includes a feature. Never waits.</summary>
        public bool Has(string feature) => Native.lks_has(client, Native.Utf8(Required(feature, nameof(feature))));

        /// <summary>A limit of the license; null if there is no such limit, or the app may not be used now. Never waits.</summary>
        public long? Limit(string name)
        {
            var limit = Native.lks_limit(client, Native.Utf8(Required(name, nameof(name))));
            return limit < 0 ? (long?)null : limit;
        }

        /// <summary>Whether the app may be used now and the license covers a release; default: the release in the options.</summary>
        public bool Covers(string? version = null, DateTimeOffset? releasedAt = null) =>
            Native.lks_covers(client, Native.OptionalUtf8(version), Native.OptionalUtf8(LicenseOptions.Timestamp(releasedAt)));

        /// <summary>Checks whether the app may be used on this device. Uses the stored token, and asks the service only if
        /// necessary.</summary>
        public LicenseState Check() => (LicenseState)Parsed(Native.lks_check(client));

        /// <summary>Asks the service now whether the license is valid.</summary>
        public LicenseState Validate() => (LicenseState)Parsed(Native.lks_validate(client));

        /// <summary>Takes a seat for this device.</summary>
        /// <param name="key">as the user typed it</param>
        /// <param name="name">the device's name, which the operator sees</param>
        /// <param name="platform">the device's platform, which the operator sees</param>
        /// <param name="replace">the <see cref="ListedDevice.Reference"/> of a device whose seat is freed if the license is full</param>
        /// <returns>a <see cref="LicenseState"/> or <see cref="InvalidInput"/></returns>
        public Result Activate(string key, string? name = null, string? platform = null, string? replace = null) =>
            Wrong(("key", Required(key, nameof(key))), ("name", name), ("platform", platform), ("replace", replace)) ??
            Parsed(Native.lks_activate(client, Native.Utf8(key), Native.OptionalUtf8(name), Native.OptionalUtf8(platform), Native.OptionalUtf8(replace)));

        /// <summary>Starts or continues the trial of the product.</summary>
        /// <param name="name">the device's name, which the operator sees</param>
        /// <param name="platform">the device's platform, which the operator sees</param>
        /// <param name="customerEmail">the e-mail address of the user</param>
        /// <returns>a <see cref="LicenseState"/> or <see cref="InvalidInput"/></returns>
        public Result Trial(string? name = null, string? platform = null, string? customerEmail = null) =>
            Wrong(("name", name), ("platform", platform), ("customer_email", customerEmail)) ??
            Parsed(Native.lks_trial(client, Native.OptionalUtf8(name), Native.OptionalUtf8(platform), Native.OptionalUtf8(customerEmail)));

        /// <summary>Frees this device's seat and forgets its key.</summary>
        /// <returns><see cref="Deactivated"/> or <see cref="Failed"/></returns>
        public Result Deactivate() => Parsed(Native.lks_deactivate(client));

        /// <summary>For uninstallers: frees this device's seat if the service can be reached, and deletes all stored data.</summary>
        public Forgotten Forget() => (Forgotten)Parsed(Native.lks_forget(client));

        /// <summary>The devices that have seats of a license; default: the license of the current activation.</summary>
        /// <returns><see cref="DeviceList"/>, <see cref="InvalidInput"/> or <see cref="Failed"/></returns>
        public Result Devices(string? key = null) => Wrong(("key", key)) ?? Parsed(Native.lks_devices(client, Native.OptionalUtf8(key)));

        /// <summary>Frees the seat of another device.</summary>
        /// <param name="reference">the <see cref="ListedDevice.Reference"/> of the device</param>
        /// <param name="key">the key of the license; default: the key of the current activation</param>
        /// <returns><see cref="Deactivated"/>, <see cref="InvalidInput"/> or <see cref="Failed"/></returns>
        public Result ReleaseDevice(string reference, string? key = null) =>
            Wrong(("ref", Required(reference, nameof(reference))), ("key", key)) ??
            Parsed(Native.lks_release_device(client, Native.Utf8(reference), Native.OptionalUtf8(key)));

        /// <summary>The newest release that the license covers.</summary>
        /// <param name="platform"><c>windows</c>, <c>macos</c> or <c>linux</c>; default: files for every platform</param>
        /// <param name="arch"><c>x64</c>, <c>arm64</c> or <c>ia32</c>; default: files for every architecture</param>
        /// <param name="channel">default: <c>stable</c></param>
        /// <param name="version">the version of the app; default: <see cref="LicenseOptions.ReleaseVersion"/></param>
        /// <returns><see cref="LicenseKey.Latest"/> or <see cref="Failed"/></returns>
        public Result Latest(string? platform = null, string? arch = null, string? channel = null, string? version = null) =>
            Parsed(Native.lks_latest(
                client, Native.OptionalUtf8(platform), Native.OptionalUtf8(arch), Native.OptionalUtf8(channel), Native.OptionalUtf8(version)));

        /// <summary>Consumes an amount of a meter of the license. The service counts it, and counts every id once. With
        /// <see cref="OfflineUse.Queue"/>, the amount is stored before it is sent, and sent later if the service can't be reached now.</summary>
        /// <param name="meter">the meter's name</param>
        /// <param name="amount">from 1 to 1,000,000,000; for a meter that allows it, a negative amount gives back</param>
        /// <param name="id">8 to 64 characters, for example the id of the document that is counted. To repeat a call, repeat its id. Default: a
        /// random id</param>
        /// <returns><see cref="Consumed"/>, <see cref="Queued"/>, <see cref="UsageRefused"/>, <see cref="InvalidInput"/> or <see cref="Failed"/>,
        /// whose <see cref="Failed.Id"/> is the id for a repetition</returns>
        public Result Consume(string meter, long amount, string? id = null) =>
            Wrong(("meter", Required(meter, nameof(meter))), ("id", id)) ??
            Result.ParseUsage(Text(Native.lks_consume(client, Native.Utf8(meter), amount, Native.OptionalUtf8(id))));

        /// <summary>The license's meters, as the service has counted them.</summary>
        /// <returns><see cref="MeterList"/>, <see cref="UsageRefused"/> or <see cref="Failed"/></returns>
        public Result Meters() => Result.ParseUsage(Text(Native.lks_meters(client)));

        /// <summary>Amounts that wait until they can be sent, and amounts that were dropped. Sends no request.</summary>
        /// <returns><see cref="PendingAmounts"/> or <see cref="Failed"/></returns>
        public Result Pending() => Parsed(Native.lks_pending(client));

        /// <summary>Creates the request of a device that is never online: a text that the user gives to the operator.</summary>
        /// <param name="key">as the user typed it</param>
        /// <param name="name">the device's name, which the operator sees</param>
        /// <param name="platform">the device's platform, which the operator sees</param>
        /// <returns><see cref="LicenseKey.OfflineRequest"/>, <see cref="InvalidInput"/> or <see cref="Failed"/></returns>
        public Result OfflineRequest(string key, string? name = null, string? platform = null) =>
            Wrong(("key", Required(key, nameof(key))), ("name", name), ("platform", platform)) ??
            Parsed(Native.lks_offline_request(client, Native.Utf8(key), Native.OptionalUtf8(name), Native.OptionalUtf8(platform)));

        /// <summary>Imports a token from the operator, which licenses a device that is never online.</summary>
        /// <returns>a <see cref="LicenseState"/> or <see cref="InvalidToken"/></returns>
        public Result ImportToken(string token) =>
            Native.Problem(Required(token, nameof(token))) == null ? Parsed(Native.lks_import_token(client, Native.Utf8(token))) : new InvalidToken("malformed");

        /// <inheritdoc cref="Check"/>
        public Task<LicenseState> CheckAsync(CancellationToken cancellation = default) => Run(Check, cancellation);

        /// <inheritdoc cref="Validate"/>
        public Task<LicenseState> ValidateAsync(CancellationToken cancellation = default) => Run(Validate, cancellation);

        /// <inheritdoc cref="Activate"/>
        public Task<Result> ActivateAsync(
            string key, string? name = null, string? platform = null, string? replace = null, CancellationToken cancellation = default) =>
            Run(() => Activate(key, name, platform, replace), cancellation);

        /// <summary>Activates this device without a typed key: the user signs in to the vendor's portal in the browser, compares the code, and
        /// chooses a license. Waits for the decision, at most ten minutes. A cancellation also ends the request of this device.</summary>
        /// <param name="onCode">shows the code until the task ends</param>
        /// <param name="open">opens an address in the user's browser; it begins with <c>http://</c> or <c>https://</c>. Both functions run in the
        /// <see cref="SynchronizationContext"/> of the caller, and their exceptions end the task</param>
        /// <param name="name">the device's name, which the user and the operator see</param>
        /// <param name="platform">the device's platform, which the user and the operator see</param>
        /// <param name="cancellation">ends the task, for example when the user closes the dialog</param>
        /// <returns>a <see cref="LicenseState"/>, also <see cref="Denied"/> or <see cref="RequestExpired"/>, or <see cref="InvalidInput"/></returns>
        public async Task<Result> ActivateInBrowserAsync(
            Action<string> onCode, Action<string> open, string? name = null, string? platform = null, CancellationToken cancellation = default)
        {
            if (onCode == null) throw new ArgumentNullException(nameof(onCode));
            if (open == null) throw new ArgumentNullException(nameof(open));
            if (Wrong(("name", name), ("platform", platform)) is Result wrong) return wrong;
            var begun = await Run(() => Text(Native.lks_sign_in_begin(client, Native.OptionalUtf8(name), Native.OptionalUtf8(platform))), cancellation);
            var shown = JsonObject.Parse(begun);
            if (shown.Text("status") != "sign_in") return Result.Parse(begun);
            onCode(shown.Text("code"));
            open(shown.Text("url"));
            using (cancellation.Register(() => Native.lks_sign_in_cancel(client)))
            {
                return await Run(() => Parsed(Native.lks_sign_in_wait(client)), cancellation).ConfigureAwait(false);
            }
        }

        /// <inheritdoc cref="Trial"/>
        public Task<Result> TrialAsync(
            string? name = null, string? platform = null, string? customerEmail = null, CancellationToken cancellation = default) =>
            Run(() => Trial(name, platform, customerEmail), cancellation);

        /// <inheritdoc cref="Deactivate"/>
        public Task<Result> DeactivateAsync(CancellationToken cancellation = default) => Run(Deactivate, cancellation);

        /// <inheritdoc cref="Forget"/>
        public Task<Forgotten> ForgetAsync(CancellationToken cancellation = default) => Run(Forget, cancellation);

        /// <inheritdoc cref="Devices"/>
        public Task<Result> DevicesAsync(string? key = null, CancellationToken cancellation = default) => Run(() => Devices(key), cancellation);

        /// <inheritdoc cref="ReleaseDevice"/>
        public Task<Result> ReleaseDeviceAsync(string reference, string? key = null, CancellationToken cancellation = default) =>
            Run(() => ReleaseDevice(reference, key), cancellation);

        /// <inheritdoc cref="Latest"/>
        public Task<Result> LatestAsync(
            string? platform = null, string? arch = null, string? channel = null, string? version = null, CancellationToken cancellation = default) =>
            Run(() => Latest(platform, arch, channel, version), cancellation);

        /// <inheritdoc cref="Consume"/>
        public Task<Result> ConsumeAsync(string meter, long amount, string? id = null, CancellationToken cancellation = default) =>
            Run(() => Consume(meter, amount, id), cancellation);

        /// <inheritdoc cref="Meters"/>
        public Task<Result> MetersAsync(CancellationToken cancellation = default) => Run(Meters, cancellation);

        /// <summary>Returns when no background request is in progress and all data is stored.</summary>
        public void Idle() => Native.lks_idle(client);

        /// <summary>Stops requests and waits until all data is stored. If <paramref name="release"/> is true, frees this device's seat first,
        /// which is useful for floating licenses.</summary>
        public void Close(bool release = false) => Native.lks_close(client, release);

        /// <inheritdoc cref="Close"/>
        public Task CloseAsync(bool release = false) => Task.Run(() => Close(release));

        /// <summary>Stops requests, so that waiting calls return, stores all data, and frees the client. Keeps the seat.</summary>
        public void Dispose()
        {
            lock (gate)
            {
                handlers = null;
                StopPolling();
            }
            if (!client.IsClosed) Native.lks_close(client, false);
            client.Dispose();
        }

        /// <summary>Does the same as <see cref="Dispose"/>, in a thread of the thread pool.</summary>
        public ValueTask DisposeAsync() => new ValueTask(Task.Run(Dispose));

        private void Poll()
        {
            LicenseState? state = null;
            EventHandler<LicenseState>? raised;
            lock (gate)
            {
                if (timer == null) return;
                raised = handlers;
                var changes = Changes;
                if (changes != seen) state = State;
                seen = changes;
                timer.Change(PollInterval, Timeout.InfiniteTimeSpan);
            }
            if (state == null || raised == null) return;
            if (context == null) raised(this, state);
            else context.Post(_ => raised(this, state), null);
        }

        private void StopPolling()
        {
            timer?.Dispose();
            timer = null;
        }

        private static async Task<Value> Run<Value>(Func<Value> call, CancellationToken cancellation)
        {
            cancellation.ThrowIfCancellationRequested();
            var work = Task.Run(call);
            var canceled = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            using (cancellation.Register(() => canceled.TrySetResult(true)))
            {
                if (await Task.WhenAny(work, canceled.Task).ConfigureAwait(false) != work) throw new OperationCanceledException(cancellation);
            }
            return await work.ConfigureAwait(false);
        }

        /// <summary>The first argument that can't be passed to the library, as a result.</summary>
        private static Result? Wrong(params (string Field, string? Text)[] inputs)
        {
            foreach (var input in inputs)
            {
                if (input.Text != null && Native.Problem(input.Text) is string problem) return new InvalidInput(input.Field, problem);
            }
            return null;
        }

        private static string Required(string text, string name) => text ?? throw new ArgumentNullException(name);

        private static string Text(IntPtr text) => Native.Take(text) ?? throw new InvalidOperationException("The library failed.");

        private static Result Parsed(IntPtr text) => Result.Parse(Text(text));
    }
}
