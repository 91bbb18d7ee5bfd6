using System;
using System.Threading;
using System.Threading.Tasks;

namespace LicenseKey
{
    /// <summary>The result of a call: JSON from which single values can be read (docs/client.md, "States").</summary>
    public sealed class Result
    {
        internal Result(string json)
        {
            Json = json ?? throw new InvalidOperationException("The library failed.");
        }

        /// <summary>The whole result as JSON; the names are in snake case.</summary>
        public string Json { get; }

        /// <summary>The status: <c>licensed</c>, <c>unbound</c>, <c>invalid_input</c>, <c>failed</c> and others; null before the first
        /// state.</summary>
        public string Status => this["status"];

        /// <summary>Whether the app may be used.</summary>
        public bool IsLicensed => Status == "licensed";

        /// <summary>A value by its path, such as <c>license.type.kind</c>: a text unchanged, anything else as JSON; null if there is no
        /// such value.</summary>
        public string this[string path] => Native.Take(Native.lks_json_get(Native.Utf8(Json), Native.Utf8(path)));
    }

    /// <summary>
    /// The license of this device. Create one client for each product in a process; several threads may use it. A method whose name ends
    /// in <c>Async</c> runs the method without <c>Async</c> in a thread of the thread pool. If its cancellation is requested, the task is
    /// canceled at once; work that has started continues in the background, so that a seat that was just taken isn't lost.
    /// </summary>
    public sealed class LicenseClient : IDisposable
    {
        private readonly ClientHandle client;

        /// <exception cref="ArgumentException">An option is invalid; the message names the option as in docs/clients/c.md.</exception>
        public LicenseClient(LicenseOptions options) : this((options ?? throw new ArgumentNullException(nameof(options))).ToJson())
        {
        }

        /// <param name="options">the options as JSON (docs/clients/c.md, "Options")</param>
        /// <exception cref="ArgumentException">An option is invalid; the message names the option.</exception>
        public LicenseClient(string options)
        {
            var opened = Native.lks_open(Native.Utf8(options), out var error);
            var problem = Native.Take(error);
            if (opened == IntPtr.Zero) throw new ArgumentException(problem ?? "The library failed.", nameof(options));
            client = new ClientHandle(opened);
        }

        /// <summary>The version of the native library.</summary>
        public static string Version => Native.Read(Native.lks_version());

        /// <summary>Whether the app may be used now. Never waits.</summary>
        public bool IsLicensed => Native.lks_is_licensed(client);

        /// <summary>A counter that increases whenever the state changes. Never waits.</summary>
        public ulong Changes => Native.lks_changes(client);

        /// <summary>The newest state.</summary>
        public Result State => new Result(Native.Take(Native.lks_state_json(client)));

        /// <summary>Whether the app may be used now and the license includes a feature. Waits only for memory allocation.</summary>
        public bool Has(string feature) => Native.lks_has(client, Native.Utf8(feature));

        /// <summary>Whether the app may be used now and the license covers a release; default: the release in the options.</summary>
        public bool Covers(string version = null, DateTimeOffset? releasedAt = null) =>
            Native.lks_covers(client, Native.Utf8(version), Native.Utf8(LicenseOptions.Timestamp(releasedAt)));

        /// <summary>Checks whether the app may be used on this device. Uses the stored token, and asks the service only if
        /// necessary.</summary>
        public Result Check() => Taken(Native.lks_check(client));

        /// <summary>Asks the service now whether the license is valid.</summary>
        public Result Validate() => Taken(Native.lks_validate(client));

        /// <summary>Takes a seat for this device.</summary>
        /// <param name="key">as the user typed it</param>
        /// <param name="name">the device's name, which the operator sees</param>
        /// <param name="platform">the device's platform, which the operator sees</param>
        /// <param name="replace">the <c>ref</c> of a device whose seat is freed if the license is full</param>
        public Result Activate(string key, string name = null, string platform = null, string replace = null) =>
            Taken(Native.lks_activate(client, Required(key, nameof(key)), Native.Utf8(name), Native.Utf8(platform), Native.Utf8(replace)));

        /// <summary>Starts or continues the trial of the product.</summary>
        public Result Trial(string name = null, string platform = null, string customerEmail = null) =>
            Taken(Native.lks_trial(client, Native.Utf8(name), Native.Utf8(platform), Native.Utf8(customerEmail)));

        /// <summary>Frees this device's seat and forgets its key.</summary>
        public Result Deactivate() => Taken(Native.lks_deactivate(client));

        /// <summary>For uninstallers: frees this device's seat if the service can be reached, and deletes all stored data.</summary>
        public Result Forget() => Taken(Native.lks_forget(client));

        /// <summary>The devices that have seats of a license; default: the license of the current activation.</summary>
        public Result Devices(string key = null) => Taken(Native.lks_devices(client, Native.Utf8(key)));

        /// <summary>Frees the seat of another device. <c>reference</c> is the <c>ref</c> of the device in <see cref="Devices"/>.</summary>
        public Result ReleaseDevice(string reference, string key = null) =>
            Taken(Native.lks_release_device(client, Required(reference, nameof(reference)), Native.Utf8(key)));

        /// <summary>The newest release that the license covers.</summary>
        public Result Latest(string platform = null, string arch = null, string channel = null, string version = null) =>
            Taken(Native.lks_latest(client, Native.Utf8(platform), Native.Utf8(arch), Native.Utf8(channel), Native.Utf8(version)));

        /// <summary>Returns the request of a device that is never online: a text that the user gives to the operator.</summary>
        public Result OfflineRequest(string key, string name = null, string platform = null) =>
            Taken(Native.lks_offline_request(client, Required(key, nameof(key)), Native.Utf8(name), Native.Utf8(platform)));

        /// <summary>Imports a token from the operator, which licenses a device that is never online.</summary>
        public Result ImportToken(string token) => Taken(Native.lks_import_token(client, Required(token, nameof(token))));

        /// <inheritdoc cref="Check"/>
        public Task<Result> CheckAsync(CancellationToken cancellation = default(CancellationToken)) => Run(() => Check(), cancellation);

        /// <inheritdoc cref="Validate"/>
        public Task<Result> ValidateAsync(CancellationToken cancellation = default(CancellationToken)) => Run(() => Validate(), cancellation);

        /// <inheritdoc cref="Activate"/>
        public Task<Result> ActivateAsync(
            string key, string name = null, string platform = null, string replace = null, CancellationToken cancellation = default(CancellationToken)) =>
            Run(() => Activate(key, name, platform, replace), cancellation);

        /// <inheritdoc cref="Trial"/>
        public Task<Result> TrialAsync(
            string name = null, string platform = null, string customerEmail = null, CancellationToken cancellation = default(CancellationToken)) =>
            Run(() => Trial(name, platform, customerEmail), cancellation);

        /// <inheritdoc cref="Deactivate"/>
        public Task<Result> DeactivateAsync(CancellationToken cancellation = default(CancellationToken)) => Run(() => Deactivate(), cancellation);

        /// <inheritdoc cref="Forget"/>
        public Task<Result> ForgetAsync(CancellationToken cancellation = default(CancellationToken)) => Run(() => Forget(), cancellation);

        /// <inheritdoc cref="Devices"/>
        public Task<Result> DevicesAsync(string key = null, CancellationToken cancellation = default(CancellationToken)) => Run(() => Devices(key), cancellation);

        /// <inheritdoc cref="ReleaseDevice"/>
        public Task<Result> ReleaseDeviceAsync(string reference, string key = null, CancellationToken cancellation = default(CancellationToken)) =>
            Run(() => ReleaseDevice(reference, key), cancellation);

        /// <inheritdoc cref="Latest"/>
        public Task<Result> LatestAsync(
            string platform = null, string arch = null, string channel = null, string version = null, CancellationToken cancellation = default(CancellationToken)) =>
            Run(() => Latest(platform, arch, channel, version), cancellation);

        /// <summary>Returns when no background request is in progress and all data is stored.</summary>
        public void Idle() => Native.lks_idle(client);

        /// <summary>Stops requests. If <paramref name="release"/> is true, frees this device's seat first, which is useful for floating
        /// licenses.</summary>
        public void Close(bool release = false) => Native.lks_close(client, release);

        /// <summary>Stops requests, so that waiting calls return, and frees the client.</summary>
        public void Dispose()
        {
            if (!client.IsClosed) Native.lks_close(client, false);
            client.Dispose();
        }

        private static async Task<Result> Run(Func<Result> call, CancellationToken cancellation)
        {
            cancellation.ThrowIfCancellationRequested();
            var work = Task.Run(call);
            var cancelled = new TaskCompletionSource<bool>();
            using (cancellation.Register(() => cancelled.TrySetResult(true)))
            {
                if (await Task.WhenAny(work, cancelled.Task).ConfigureAwait(false) != work) throw new OperationCanceledException(cancellation);
            }
            return await work.ConfigureAwait(false);
        }

        private static byte[] Required(string text, string name) => Native.Utf8(text ?? throw new ArgumentNullException(name));

        private static Result Taken(IntPtr text) => new Result(Native.Take(text));
    }
}
